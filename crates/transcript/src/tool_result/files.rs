//! Results of tools that read, write and search files.

use crate::view::views;
use annals_json::{Fields, Items, Text, Value};

views! {
    /// A file that was read.
    ReadResult {
        /// `text`, `image`, `notebook`, `pdf`, `parts`, `file_unchanged`.
        kind: Text<'a> = "type";
        file: ReadFile<'a> = "file";
    }

    /// Text of a file, or a part of it.
    ReadFile {
        path: Text<'a> = "filePath";
        /// Its text.
        content: Text<'a> = "content";
        /// Lines that were read.
        line_count: u64 = "numLines";
        /// The first of them.
        start_line: u64 = "startLine";
        /// Lines of the file.
        total_lines: u64 = "totalLines";
        /// Images: the bytes in base 64.
        base64: Text<'a> = "base64";
        /// Images: the media type.
        media_type: Text<'a> = "type";
        /// Images: bytes before they were shrunk.
        original_size: u64 = "originalSize";
        /// Notebooks: the cells.
        cells: Items<'a> = "cells";
    }

    /// An edit.
    EditResult {
        /// The file.
        path: Text<'a> = "filePath";
        /// What was replaced.
        old_string: Text<'a> = "oldString";
        /// By what.
        new_string: Text<'a> = "newString";
        /// The whole file before.
        original_file: Text<'a> = "originalFile";
        /// The difference.
        structured_patch: Items<'a> = "structuredPatch";
        /// Whether the person changed the edit.
        user_modified: bool = "userModified";
        /// Whether every occurrence was replaced.
        replace_all: bool = "replaceAll";
        /// Whether the file had changed meanwhile.
        stale_recovered: bool = "staleRecovered";
        /// Whether it was a memory file.
        memdir_stamped: bool = "memdirStamped";
    }

    /// Several edits of one file.
    MultiEditResult {
        /// The file.
        path: Text<'a> = "filePath";
        edits: Items<'a> = "edits";
        /// The whole file before.
        original_file: Text<'a> = "originalFileContents";
        /// The difference.
        structured_patch: Items<'a> = "structuredPatch";
        /// Whether the person changed the edits.
        user_modified: bool = "userModified";
    }

    /// A file that was written.
    WriteResult {
        /// `create` or `update`.
        kind: Text<'a> = "type";
        /// The file.
        path: Text<'a> = "filePath";
        /// What was written.
        content: Text<'a> = "content";
        /// The difference; empty for a new file.
        structured_patch: Items<'a> = "structuredPatch";
        /// The whole file before; null for a new file.
        original_file: Text<'a> = "originalFile";
        /// Whether the person changed it.
        user_modified: bool = "userModified";
        /// Whether it was a memory file.
        memdir_stamped: bool = "memdirStamped";
    }

    /// One stretch of a difference.
    PatchHunk {
        /// First line before.
        old_start: u64 = "oldStart";
        /// Lines before.
        old_lines: u64 = "oldLines";
        /// First line after.
        new_start: u64 = "newStart";
        /// Lines after.
        new_lines: u64 = "newLines";
        /// The lines, each with its sign.
        lines: Items<'a> = "lines";
    }

    /// A search in files.
    GrepResult {
        /// `files_with_matches`, `content`, `count`.
        mode: Text<'a> = "mode";
        /// Files found.
        filenames: Items<'a> = "filenames";
        /// How many.
        file_count: u64 = "numFiles";
        /// Lines found.
        content: Text<'a> = "content";
        /// How many.
        line_count: u64 = "numLines";
        /// How many there are in all.
        total_lines: u64 = "totalLines";
        /// How many files there are in all.
        total_files: u64 = "totalFiles";
        /// Matches.
        match_count: u64 = "numMatches";
        /// The limit that cut the list.
        applied_limit: u64 = "appliedLimit";
    }

    /// A search for files.
    GlobResult {
        /// Files found.
        filenames: Items<'a> = "filenames";
        /// How many.
        file_count: u64 = "numFiles";
        /// How long it took.
        duration_ms: u64 = "durationMs";
        /// Whether a limit cut the list.
        truncated: bool = "truncated";
        /// How many there are in all.
        total_matches: u64 = "totalMatches";
        /// Whether that number is exact.
        count_is_complete: bool = "countIsComplete";
    }

    /// A cell of a notebook that was edited.
    NotebookEditResult {
        /// The cell.
        cell_number: Value<'a> = "cell_number";
        /// Its kind.
        cell_type: Text<'a> = "cell_type";
        language: Text<'a> = "language";
        /// `replace`, `insert`, `delete`.
        edit_mode: Text<'a> = "edit_mode";
        new_source: Text<'a> = "new_source";
        /// What went wrong.
        error: Text<'a> = "error";
    }

    /// A language server's answer.
    LspResult {
        /// What was asked.
        operation: Text<'a> = "operation";
        /// About which file.
        path: Text<'a> = "filePath";
        /// The answer.
        result: Text<'a> = "result";
        /// How many places.
        result_count: u64 = "resultCount";
        /// In how many files.
        file_count: u64 = "fileCount";
    }
}

impl<'a> PatchHunk<'a> {
    /// The hunks of a `structuredPatch`.
    pub fn list(items: Items<'a>) -> impl Iterator<Item = PatchHunk<'a>> {
        items.filter_map(|item| item.fields().map(PatchHunk::new))
    }
}

impl<'a> ReadFile<'a> {
    /// Images: sizes before and after.
    pub fn dimensions(&self) -> Option<Fields<'a>> {
        self.fields().object("dimensions")
    }
}
