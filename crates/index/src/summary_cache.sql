-- What was made of each file. A cache: it may be deleted at any time.
CREATE TABLE briefs (
    kind     INTEGER NOT NULL,
    path     BLOB NOT NULL,             -- below the config dir
    identity INTEGER NOT NULL,          -- the file as it was: device and inode, mixed;
    bytes    INTEGER NOT NULL,          -- its size;
    modified INTEGER NOT NULL,          -- its time
    content  BLOB NOT NULL,             -- as `annals_transcript::pack` writes it
    PRIMARY KEY (kind, path)
);
