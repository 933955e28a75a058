//! The question about MCP servers that a trusted folder configures: asked once for each definition, before it is started.

use std::path::Path;

use annals_policy::approvals::{ApprovalFile, ServerApproval};
use annals_policy::paths::Disk;
use annals_policy::{Trust, TrustFile};

use super::super::servers::{ServerSearch, StartPermission, find, managed_file};
use super::super::settings_here;
use super::chat_ui::{ChatUi, Choice, ChoiceForm};
use super::terminal_ui::{Exit, PromptInput};
use super::trust::yes_or_no;
use crate::context::Context;
use crate::error::Fault;

/// Asks about the servers that nobody has decided about.
pub(super) async fn ask(cwd: &Path, context: &Context, ui: &mut impl ChatUi) -> Result<(), Exit> {
    let data = context.data_dir().map_err(Exit::Fault)?;
    let trust = TrustFile::new(&data);
    let is_trusted = |folder: &&Path| trust.of(&Disk, folder).is_ok_and(|trust| trust == Trust::Trusted);
    let mut trusted: Vec<_> = cwd.ancestors().filter(is_trusted).map(Path::to_path_buf).collect();
    trusted.reverse();
    let (settings, managed) = (settings_here(context), &managed_file());
    let search =
        ServerSearch { context, cwd, given: &[], is_strict: false, trusted, settings: &settings, managed };
    // What cannot be read is reported when the servers are started.
    let (found, _) = find(&search).map_err(Exit::Fault)?;
    let approvals = ApprovalFile::new(&data);
    for server in found.iter().filter(|server| server.permission == StartPermission::Unapproved) {
        let Some(folder) = server.path.as_deref().and_then(Path::parent) else { continue };
        let definition = String::from_utf8_lossy(&server.definition);
        let definition = definition.split_whitespace().collect::<Vec<_>>().join(" ");
        let about = "it would run with your rights; you will be asked again when its definition changes";
        let choice = Choice {
            warning: format!("this folder configures an MCP server: {}", server.name),
            remarks: vec![definition, about.to_owned()],
            rows: yes_or_no("no: continue without it", "yes, start it"),
            form: ChoiceForm::InQuestion,
            question: "start this server here? (y/n) ".to_owned(),
            ..Choice::default()
        };
        let approval = match ui.choose(choice).await {
            PromptInput::Leave(outcome) => return Err(Exit::Leave(outcome)),
            PromptInput::Line(text) if matches!(text.as_str(), "y" | "yes") => ServerApproval::Approved,
            PromptInput::Line(text) if matches!(text.as_str(), "n" | "no") => ServerApproval::Refused,
            // Without an answer the question comes again next time.
            _ => continue,
        };
        let stored = approvals.set(folder, &server.name, &server.fingerprint(), approval);
        stored.map_err(|error| Exit::Fault(Fault::usage(error.to_string())))?;
    }
    Ok(())
}
