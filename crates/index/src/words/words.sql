-- The words of messages, newest last; texts themselves stay in the files. Three tables, so that what people said is found
-- without wading through what tools printed.
CREATE VIRTUAL TABLE words_said USING fts5(body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE words_replied USING fts5(body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE words_shown USING fts5(body, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
-- Collected in memory up to this many bytes before they are written: fewer segments to merge.
INSERT INTO words_replied (words_replied, rank) VALUES ('hashsize', 8388608);
INSERT INTO words_shown (words_shown, rank) VALUES ('hashsize', 33554432);
-- Two segments can be merged where we ask for it.
INSERT INTO words_said (words_said, rank) VALUES ('usermerge', 2);
INSERT INTO words_replied (words_replied, rank) VALUES ('usermerge', 2);
INSERT INTO words_shown (words_shown, rank) VALUES ('usermerge', 2);

-- Words of all messages below this number are here, or were.
CREATE TABLE reached (
    message INTEGER NOT NULL,
    let_be  INTEGER NOT NULL        -- for this many transactions segments were left unmerged, until all is read
);
INSERT INTO reached VALUES (1, 0);
