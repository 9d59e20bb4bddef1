//! The semantic codes and the one table of what each permits (section 2 of the recovery core, criterion .3).

use super::words::{Class, word_enum};

word_enum! {
    /// Stable semantic cause of a provider failure (criterion .3).
    pub enum Code("code") {
        /// The provider can not be reached from here.
        NetworkUnavailable = "network_unavailable",
        /// The provider answered that it can not serve at all.
        ProviderUnavailable = "provider_unavailable",
        /// The provider is up and says that it is overloaded.
        ProviderOverloaded = "provider_overloaded",
        /// The selected model has no capacity left for the moment.
        ModelCapacity = "model_capacity",
        /// Too many requests in a short time.
        RateLimited = "rate_limited",
        /// The connection between agent and provider broke in the middle.
        AgentTransportLost = "agent_transport_lost",
        /// An allowance is used up; only its reset or a purchase helps.
        QuotaLimited = "quota_limited",
        /// The account's plan does not include what was asked.
        SubscriptionRequired = "subscription_required",
        /// A credential was refused or has expired.
        AuthRequired = "auth_required",
        /// No credential is configured.
        MissingCredentials = "missing_credentials",
        /// The agent or the provider is not set up.
        ProviderNotConfigured = "provider_not_configured",
        /// The selected model does not exist or may not be used.
        ModelUnavailable = "model_unavailable",
        /// The stored session can not be resumed.
        ResumeCorrupted = "resume_corrupted",
        /// The npx cache is damaged.
        NpxCacheCorrupted = "npx_cache_corrupted",
        /// The managed runtime's npm version can not be resolved.
        ManagedRuntimeNpmResolution = "managed_runtime_npm_resolution",
        /// A person refused a permission.
        PermissionDeniedByUser = "permission_denied_by_user",
        /// The task itself failed.
        TaskError = "task_error",
        /// The repository is in the way.
        RepoError = "repo_error",
        /// The agent process failed; also the fallback after the prompt was sent.
        AgentRuntimeError = "agent_runtime_error",
        /// The prompt does not fit into the model's context.
        ContextOverflow = "context_overflow",
        /// The provider refused the content.
        ContentRefused = "content_refused",
        /// The certificate of the endpoint is not trusted.
        TlsUntrusted = "tls_untrusted",
        /// Nothing is known; the fallback before the prompt was sent.
        UnknownProviderError = "unknown_provider_error",
    }
}

/// Whether a code may be retried against the same provider without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AutoRetry {
    /// Yes, on the ladder.
    Yes,
    /// Only with a validated timing hint of at most [`AutoRetry::HINT_LIMIT_MS`].
    WithShortHint,
    /// Never.
    No,
}

impl AutoRetry {
    /// The longest hint, in milliseconds, that lets a client wait by itself.
    pub const HINT_LIMIT_MS: u64 = 60_000;

    /// The flag for one classification, given its validated hint in milliseconds.
    #[must_use]
    pub fn allows(self, retry_after_ms: Option<u64>) -> bool {
        match self {
            Self::Yes => true,
            Self::WithShortHint => retry_after_ms.is_some_and(|hint| hint <= Self::HINT_LIMIT_MS),
            Self::No => false,
        }
    }
}

/// What a code permits. Derived from the code alone, never set by a rule (criteria .3, .8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodePolicy {
    /// Policy class.
    pub class: Class,
    /// Automatic retry against the same provider.
    pub auto_retry: AutoRetry,
    /// Whether another provider may be tried; also what makes a code eligible for the diagnostic marker (.16).
    pub fallback: bool,
    /// Whether a person has to do something.
    pub user_action: bool,
    /// Whether a timing hint can belong to this code.
    pub takes_hint: bool,
    /// What a person can do, when the code alone says so.
    pub remediation: Option<&'static str>,
}

impl Code {
    /// The one table of consequences (section 2 of the recovery core).
    #[must_use]
    pub const fn policy(self) -> CodePolicy {
        match self {
            Self::NetworkUnavailable => CodePolicy::transient(true),
            Self::ProviderUnavailable | Self::ProviderOverloaded | Self::ModelCapacity => {
                CodePolicy::transient(true).with_hint()
            }
            Self::RateLimited => {
                let mut policy = CodePolicy::transient(true).with_hint();
                policy.auto_retry = AutoRetry::WithShortHint;
                policy
            }
            // The resume token belongs to this provider: another one can not continue.
            Self::AgentTransportLost => CodePolicy::transient(false),
            Self::QuotaLimited => CodePolicy::hard(false, None).with_hint(),
            Self::SubscriptionRequired => CodePolicy::hard(true, Some("change the plan or pay the open bill")),
            Self::AuthRequired => CodePolicy::hard(true, Some("sign in again or replace the credential")),
            Self::MissingCredentials => CodePolicy::hard(true, Some("configure a credential for this provider")),
            Self::ProviderNotConfigured => CodePolicy::hard(true, Some("install or configure the agent")),
            Self::ModelUnavailable => CodePolicy::hard(true, Some("select a model that this account may use")),
            Self::ResumeCorrupted => CodePolicy::unclassified(true, Some("start a fresh session")),
            Self::NpxCacheCorrupted => CodePolicy::unclassified(true, Some("remove the npx cache folder, then retry")),
            Self::ManagedRuntimeNpmResolution => {
                CodePolicy::unclassified(true, Some("check the npm registry or pin another version"))
            }
            Self::PermissionDeniedByUser | Self::TaskError | Self::RepoError | Self::AgentRuntimeError => {
                CodePolicy::unclassified(false, None)
            }
            Self::ContextOverflow => CodePolicy::unclassified(true, Some("shorten or compact the conversation")),
            Self::ContentRefused => CodePolicy::unclassified(true, Some("change what is asked")),
            Self::TlsUntrusted => {
                CodePolicy::unclassified(true, Some("trust the certificate authority or fix the proxy"))
            }
            Self::UnknownProviderError => CodePolicy::unclassified(true, None),
        }
    }

    /// Policy class of this code.
    #[must_use]
    pub const fn class(self) -> Class {
        self.policy().class
    }

    /// Whether a chunk of this code can carry the diagnostic marker (criteria .16, .20).
    #[must_use]
    pub const fn fallback_eligible(self) -> bool {
        self.policy().fallback
    }
}

impl CodePolicy {
    const fn transient(fallback: bool) -> Self {
        Self {
            class: Class::Transient,
            auto_retry: AutoRetry::Yes,
            fallback,
            user_action: false,
            takes_hint: false,
            remediation: None,
        }
    }

    const fn hard(user_action: bool, remediation: Option<&'static str>) -> Self {
        Self {
            class: Class::Hard,
            auto_retry: AutoRetry::No,
            fallback: true,
            user_action,
            takes_hint: false,
            remediation,
        }
    }

    const fn unclassified(user_action: bool, remediation: Option<&'static str>) -> Self {
        Self {
            class: Class::Unclassified,
            auto_retry: AutoRetry::No,
            fallback: false,
            user_action,
            takes_hint: false,
            remediation,
        }
    }

    const fn with_hint(mut self) -> Self {
        self.takes_hint = true;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_transient_codes_retry_and_unclassified_codes_permit_nothing() {
        for &code in Code::ALL {
            let policy = code.policy();
            assert_eq!(policy.auto_retry != AutoRetry::No, policy.class == Class::Transient, "{code}");
            assert!(policy.class != Class::Unclassified || !policy.fallback, "{code}");
        }
    }

    #[test]
    fn a_rate_limit_retries_only_with_a_hint_of_at_most_a_minute() {
        let flag = Code::RateLimited.policy().auto_retry;
        for (hint, expected) in [(None, false), (Some(0), true), (Some(60_000), true), (Some(60_001), false)] {
            assert_eq!(flag.allows(hint), expected, "hint {hint:?}");
        }
    }
}
