//! What requests of the program want to know of the session, while a turn runs as well.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_agent::api::transport::Transport;
use annals_policy::Mode;

use super::super::ChatAgent;
use super::super::local::ContextUse;
use crate::error::Fault;

/// The state of the session between turns.
#[derive(Clone, Debug)]
pub(super) struct SessionState {
    pub(super) session: String,
    pub(super) transcript: PathBuf,
    pub(super) model: String,
    pub(super) mode: Mode,
    pub(super) context: ContextUse,
    pub(super) is_running: bool,
}

/// The state, shared by what runs turns and what serves requests.
#[derive(Clone, Debug)]
pub(in super::super) struct SessionView(Arc<Mutex<SessionState>>);

impl SessionView {
    pub(super) fn new<T: Transport>(agent: &mut ChatAgent<'_, T>) -> Result<Self, Fault> {
        let state = SessionState {
            session: agent.conversation.session().to_owned(),
            transcript: agent.conversation.transcript_path(),
            model: agent.turn_config.model.clone(),
            mode: agent.policy.mode,
            context: ContextUse::of(agent)?,
            is_running: false,
        };
        Ok(Self(Arc::new(Mutex::new(state))))
    }

    /// Takes over what a turn has changed.
    pub(super) fn update<T: Transport>(
        &self,
        agent: &mut ChatAgent<'_, T>,
        is_running: bool,
    ) -> Result<(), Fault> {
        let context = ContextUse::of(agent)?;
        let mut state = self.lock();
        state.transcript = agent.conversation.transcript_path();
        state.model.clone_from(&agent.turn_config.model);
        state.mode = agent.policy.mode;
        (state.context, state.is_running) = (context, is_running);
        Ok(())
    }

    pub(super) fn get(&self) -> SessionState {
        self.lock().clone()
    }

    pub(super) fn set_model(&self, model: &str) {
        model.clone_into(&mut self.lock().model);
    }

    pub(super) fn set_mode(&self, mode: Mode) {
        self.lock().mode = mode;
    }

    fn lock(&self) -> MutexGuard<'_, SessionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
