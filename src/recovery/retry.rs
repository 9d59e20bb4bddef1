//! Who may send a prompt again, when, and what a person is offered instead: one state machine per session.
//!
//! The owner is told everything ([`Input`]) and asks for everything ([`Effect`]). Sending has two steps: the owner reserves
//! an identity ([`Effect::Prepare`]), the client binds the execution that will carry it ([`Input::Bound`]), and only then
//! is the prompt handed out ([`Effect::Dispatch`]). What a failure proves is judged by its attempt's evidence.
//!
//! Invariant: one owner, one timer; a pending retry is claimed once, by whoever comes first; nothing is sent again by
//! itself after output, after an effect, or on the identity of another prompt (.8, .15).
//!
//! Must not know: how a failure was observed, what a store keeps, how long anything really takes.

mod effect;
mod failure;
mod input;
mod ladder;
mod owner;
mod person;
mod state;

pub use effect::{
    Answer, Dispatch, DispatchReason, Effect, Manual, ManualAction, ManualReason, Prepare, StorageOperation,
};
pub use failure::Failure;
pub use input::{Input, Moment, Requester, Reservation, Target, TimerId};
pub use ladder::{Jitter, MAX_ATTEMPTS, STEPS_MS};
pub use owner::RetryOwner;
pub use state::Standing;

#[cfg(test)]
mod laws;
#[cfg(test)]
pub(crate) mod samples;
