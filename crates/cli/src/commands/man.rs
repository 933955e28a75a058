//! `annals man`: the manual page, with one section per command and per topic.

use std::io::{self, Write};

use clap::Command;
use clap_mangen::Man;

use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::help::{self, GROUPS, TOPICS};

pub(crate) fn run(context: &mut Context) -> Result<Outcome, Fault> {
    let mut command = help::command();
    let mut page = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    writeln!(page, ".SH DESCRIPTION")?;
    writeln!(page, "Without a command, annals prints an overview of the store.")?;
    writeln!(page, ".SH GLOBAL OPTIONS")?;
    render_options(&command, &mut page)?;
    for (group, names) in GROUPS {
        writeln!(page, ".SH {} COMMANDS", group.to_uppercase())?;
        for name in names {
            if let Some(subcommand) = command.find_subcommand_mut(name) {
                render_command(subcommand, &format!("annals {name}"), &mut page)?;
            }
        }
    }
    for topic in &TOPICS {
        writeln!(page, ".SH {}", topic.name.to_uppercase())?;
        render_text(topic.text, &mut page)?;
    }
    context.out.exact(&page)?;
    Ok(Outcome::Done)
}

/// Writes a command, and then its own commands.
fn render_command(command: &mut Command, name: &str, page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".SS {}", escaped(name))?;
    // Deferred arguments exist once the command is built.
    command.build();
    if let Some(about) = command.get_about() {
        writeln!(page, "{}", escaped(&about.to_string()))?;
    }
    render_options(command, page)?;
    if let Some(text) = command.get_after_help() {
        render_text(&text.to_string(), page)?;
    }
    let own: Vec<String> = command.get_subcommands().map(|own| own.get_name().to_owned()).collect();
    for subcommand in own.iter().filter(|own| *own != "help") {
        if let Some(own) = command.find_subcommand_mut(subcommand) {
            render_command(own, &format!("{name} {subcommand}"), page)?;
        }
    }
    Ok(())
}

/// Writes options and arguments without the headings that the generator puts before them.
fn render_options(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let mut options = Vec::new();
    Man::new(command.clone()).render_options_section(&mut options)?;
    for line in String::from_utf8_lossy(&options).lines().filter(|line| !line.starts_with(".SH")) {
        writeln!(page, "{line}")?;
    }
    Ok(())
}

/// Writes a text as it is, line by line.
fn render_text(text: &str, page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".PP\n.nf")?;
    for line in text.lines() {
        writeln!(page, "{}", escaped(line))?;
    }
    writeln!(page, ".fi")
}

/// A line that roff prints as it stands.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\\\").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}
