//! `annals man`: the manual page, one section a command.

use std::io::Write;

use clap::CommandFactory;

use crate::args::Args;
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(crate) fn run(context: &mut Context) -> Result<Outcome, Fault> {
    let command = Args::command();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        let name = subcommand.get_name().to_owned();
        writeln!(page, ".SH ANNALS {}", name.to_uppercase())?;
        let section = clap_mangen::Man::new(subcommand.clone().bin_name(format!("annals {name}")));
        section.render_description_section(&mut page)?;
        section.render_options_section(&mut page)?;
    }
    context.out.write_all(&page)?;
    Ok(Outcome::Done)
}
