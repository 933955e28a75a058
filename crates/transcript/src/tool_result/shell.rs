//! Results of shells.

use crate::view::views;
use annals_json::{Fields, Text, Value};

views! {
    /// Bash, PowerShell.
    BashResult {
        /// The standard output.
        stdout: Text<'a> = "stdout";
        /// The standard error output.
        stderr: Text<'a> = "stderr";
        /// Whether the person stopped it.
        interrupted: bool = "interrupted";
        /// Whether the output is an image.
        is_image: bool = "isImage";
        /// Whether silence is success.
        no_output_expected: bool = "noOutputExpected";
        /// What the exit code means.
        return_code_interpretation: Text<'a> = "returnCodeInterpretation";
        /// The background task that continues.
        background_task: Text<'a> = "backgroundTaskId";
        /// Whether the person sent it to the background.
        backgrounded_by_user: bool = "backgroundedByUser";
        /// Whether the client sent it to the background.
        assistant_auto_backgrounded: bool = "assistantAutoBackgrounded";
        /// The directory where it continues.
        background_cwd_hint: Text<'a> = "backgroundCwdHint";
        /// The limit that it ran into.
        timed_out_after_ms: u64 = "timedOutAfterMs";
        /// The file that has the whole output.
        persisted_output_path: Text<'a> = "persistedOutputPath";
        /// Its size.
        persisted_output_size: u64 = "persistedOutputSize";
        /// What git did.
        git_operation: Value<'a> = "gitOperation";
        sandbox: Value<'a> = "sandbox";
        /// Files that changed since they were read.
        stale_read_file_state_hint: Text<'a> = "staleReadFileStateHint";
    }

    /// A background shell that was read again.
    BashOutputResult {
        shell: Text<'a> = "shellId";
        command: Text<'a> = "command";
        status: Text<'a> = "status";
        /// How it ended.
        exit_code: f64 = "exitCode";
        /// The standard output.
        stdout: Text<'a> = "stdout";
        /// The standard error output.
        stderr: Text<'a> = "stderr";
        /// Lines of standard output.
        stdout_lines: u64 = "stdoutLines";
        /// Lines of standard error.
        stderr_lines: u64 = "stderrLines";
        /// When.
        timestamp: Text<'a> = "timestamp";
    }

    /// A background shell that was ended.
    KillShellResult {
        shell: Text<'a> = "shell_id";
        /// What happened.
        message: Text<'a> = "message";
        /// Whether it worked.
        success: bool = "success";
    }
}

impl<'a> BashResult<'a> {
    /// The sandbox's settings, where there was one.
    pub fn sandbox_fields(&self) -> Option<Fields<'a>> {
        self.sandbox()?.fields()
    }
}
