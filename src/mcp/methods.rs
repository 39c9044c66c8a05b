//! The methods: who may send them, since when and until when, and what the receiver has to have declared.

use super::revision::{Revision, Revisions};
use crate::wire::frame::{Dir, Side};

/// Wants an answer, or must not get one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Has an id and is answered.
    Request,
    /// Has no id and is never answered.
    Notification,
}

/// Who may send a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Way {
    /// Client to server.
    C2s,
    /// Server to client.
    S2c,
    /// Either side.
    Both,
}

impl Way {
    /// May this side send it?
    pub const fn allows(self, sender: Side) -> bool {
        matches!((self, sender), (Way::Both, _) | (Way::C2s, Side::Client) | (Way::S2c, Side::Server))
    }

    /// May it travel in this direction? Never on stderr.
    pub const fn allows_dir(self, dir: Dir) -> bool {
        match dir {
            Dir::C2s => self.allows(Side::Client),
            Dir::S2c => self.allows(Side::Server),
            Dir::Err => false,
        }
    }

    /// `c2s`, `s2c` or `both`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Way::C2s => "c2s",
            Way::S2c => "s2c",
            Way::Both => "both",
        }
    }
}

/// The identifier of the tasks extension of 2026-07-28, a key of `capabilities.extensions`.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";
/// The identifier of the apps extension, a key of `capabilities.extensions`.
pub const UI_EXTENSION: &str = "io.modelcontextprotocol/ui";

/// What is known of one method. Read it through [`Method`], which knows the exceptions by revision.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// As on the wire.
    pub name: &'static str,
    /// Request or notification.
    pub kind: Kind,
    /// Who may send it in the revisions that have it.
    pub way: Way,
    /// Revisions whose core has it as a message of its own.
    pub revisions: Revisions,
    /// Path in the capabilities of the receiver (request) or of the sender (notification); empty: none needed.
    pub needs: &'static [&'static str],
    /// Takes `cursor`, returns `nextCursor`.
    pub paginated: bool,
    /// Where it went when it was removed or moved, in words; empty where there is nothing to say.
    pub note: &'static str,
}

macro_rules! methods {
    ($($variant:ident $name:literal $kind:ident $way:ident $revisions:expr, needs $needs:expr, $paginated:literal, $note:literal;)*) => {
        /// A method that some revision, or the tasks extension, defines.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Method {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Method {
            /// Every method, in the order of the table.
            pub const ALL: &'static [Method] = &[$(Method::$variant,)*];

            /// The method of that name; `None` for a vendor's own or a misspelt one. Case counts.
            pub fn lookup(name: &str) -> Option<Method> {
                Some(match name {
                    $($name => Method::$variant,)*
                    _ => return None,
                })
            }
        }

        const FACTS: &[Facts] = &[
            $(Facts { name: $name, kind: Kind::$kind, way: Way::$way, revisions: $revisions, needs: $needs,
                paginated: $paginated, note: $note },)*
        ];
    };
}

const ALL: Revisions = Revisions::ALL;
const LEGACY: Revisions = Revisions::LEGACY;
const MODERN: Revisions = Revisions::MODERN;
const TASKS: Revisions = Revisions::of(&[Revision::V2025_11_25]);
const ELICIT: Revisions = Revisions::of(&[Revision::V2025_06_18, Revision::V2025_11_25]);

methods! {
    Initialize "initialize" Request C2s LEGACY, needs &[], false, "2026-07-28 has no handshake: each request carries version and capabilities in _meta, server/discover tells what the server speaks";
    Initialized "notifications/initialized" Notification C2s LEGACY, needs &[], false, "2026-07-28 has no handshake";
    Ping "ping" Request Both LEGACY, needs &[], false, "removed in 2026-07-28 without replacement";
    Discover "server/discover" Request C2s MODERN, needs &[], false, "new in 2026-07-28; before, initialize tells it";
    Listen "subscriptions/listen" Request C2s MODERN, needs &[], false, "new in 2026-07-28; before, resources/subscribe and the notifications that the capabilities announce";
    Acknowledged "notifications/subscriptions/acknowledged" Notification S2c MODERN, needs &[], false, "new in 2026-07-28";
    ToolsList "tools/list" Request C2s ALL, needs &["tools"], true, "";
    ToolsCall "tools/call" Request C2s ALL, needs &["tools"], false, "";
    PromptsList "prompts/list" Request C2s ALL, needs &["prompts"], true, "";
    PromptsGet "prompts/get" Request C2s ALL, needs &["prompts"], false, "";
    ResourcesList "resources/list" Request C2s ALL, needs &["resources"], true, "";
    TemplatesList "resources/templates/list" Request C2s ALL, needs &["resources"], true, "";
    ResourcesRead "resources/read" Request C2s ALL, needs &["resources"], false, "";
    ResourcesSubscribe "resources/subscribe" Request C2s LEGACY, needs &["resources", "subscribe"], false, "2026-07-28: resourceSubscriptions of subscriptions/listen";
    ResourcesUnsubscribe "resources/unsubscribe" Request C2s LEGACY, needs &["resources", "subscribe"], false, "2026-07-28: end the subscriptions/listen request";
    Complete "completion/complete" Request C2s ALL, needs &["completions"], false, "";
    SetLevel "logging/setLevel" Request C2s LEGACY, needs &["logging"], false, "2026-07-28: _meta io.modelcontextprotocol/logLevel of each request";
    RootsList "roots/list" Request S2c LEGACY, needs &["roots"], false, "2026-07-28: only inside inputRequests, and deprecated";
    CreateMessage "sampling/createMessage" Request S2c LEGACY, needs &["sampling"], false, "2026-07-28: only inside inputRequests, and deprecated";
    Elicit "elicitation/create" Request S2c ELICIT, needs &["elicitation"], false, "2026-07-28: only inside inputRequests";
    TasksGet "tasks/get" Request Both TASKS, needs &["tasks"], false, "2026-07-28: in the tasks extension, sent by the client";
    TasksResult "tasks/result" Request Both TASKS, needs &["tasks"], false, "2026-07-28: the extension returns the result in tasks/get";
    TasksList "tasks/list" Request Both TASKS, needs &["tasks", "list"], true, "removed in 2026-07-28";
    TasksCancel "tasks/cancel" Request Both TASKS, needs &["tasks", "cancel"], false, "2026-07-28: in the tasks extension, sent by the client";
    TasksUpdate "tasks/update" Request C2s Revisions::NONE, needs &[], false, "in the tasks extension of 2026-07-28 only";
    TasksChanged "notifications/tasks" Notification S2c Revisions::NONE, needs &[], false, "in the tasks extension of 2026-07-28 only";
    TasksStatus "notifications/tasks/status" Notification Both TASKS, needs &[], false, "2026-07-28: notifications/tasks of the extension";
    Cancelled "notifications/cancelled" Notification Both ALL, needs &[], false, "2026-07-28: by the client on stdio only, by the server only to end a subscriptions/listen";
    Progress "notifications/progress" Notification Both ALL, needs &[], false, "2026-07-28: from the server only";
    Log "notifications/message" Notification S2c ALL, needs &["logging"], false, "deprecated in 2026-07-28; only for a request that carries a logLevel";
    ToolsChanged "notifications/tools/list_changed" Notification S2c ALL, needs &["tools", "listChanged"], false, "2026-07-28: on a subscription only";
    PromptsChanged "notifications/prompts/list_changed" Notification S2c ALL, needs &["prompts", "listChanged"], false, "2026-07-28: on a subscription only";
    ResourcesChanged "notifications/resources/list_changed" Notification S2c ALL, needs &["resources", "listChanged"], false, "2026-07-28: on a subscription only";
    ResourceUpdated "notifications/resources/updated" Notification S2c ALL, needs &["resources", "subscribe"], false, "2026-07-28: on a subscription only";
    RootsChanged "notifications/roots/list_changed" Notification C2s LEGACY, needs &["roots", "listChanged"], false, "removed in 2026-07-28";
    ElicitationComplete "notifications/elicitation/complete" Notification S2c TASKS, needs &[], false, "in 2025-11-25 only";
}

impl Method {
    /// The table row.
    pub fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// As on the wire.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Request or notification; the same in all revisions.
    pub fn kind(self) -> Kind {
        self.facts().kind
    }

    /// Does the core of this revision define it as a message of its own?
    pub fn is_in(self, revision: Revision) -> bool {
        self.facts().revisions.has(revision)
    }

    /// The extension that defines it for this revision, where the core does not.
    pub fn extension(self, revision: Revision) -> Option<&'static str> {
        let tasks = matches!(self, Method::TasksGet | Method::TasksCancel | Method::TasksUpdate | Method::TasksChanged);
        (revision.is_modern() && tasks).then_some(TASKS_EXTENSION)
    }

    /// Who may send it in this revision.
    pub fn way(self, revision: Revision) -> Way {
        match self {
            Method::Progress if revision.is_modern() => Way::S2c,
            Method::TasksGet | Method::TasksCancel if revision.is_modern() => Way::C2s,
            _ => self.facts().way,
        }
    }

    /// Path of the capability that must have been declared: by the receiver of a request, by the sender of a
    /// notification. `None` where nothing is needed, or where the revision did not have the capability yet.
    ///
    /// Sub-features that depend on the params (`elicitation.url`, `sampling.tools`, `tasks.requests`) are for the caller.
    pub fn needs(self, revision: Revision) -> Option<&'static [&'static str]> {
        let path = self.facts().needs;
        let none = path.is_empty() || (self == Method::Complete && revision == Revision::V2024_11_05);
        (!none).then_some(path)
    }

    /// Takes `cursor` and returns `nextCursor`.
    pub fn is_paginated(self) -> bool {
        self.facts().paginated
    }

    /// Member of the result that holds the list of a paginated method.
    pub fn list_member(self) -> Option<&'static str> {
        Some(match self {
            Method::ToolsList => "tools",
            Method::PromptsList => "prompts",
            Method::ResourcesList => "resources",
            Method::TemplatesList => "resourceTemplates",
            Method::TasksList => "tasks",
            _ => return None,
        })
    }

    /// Complete results carry `ttlMs` and `cacheScope` (2026-07-28 and later).
    pub fn is_cacheable(self, revision: Revision) -> bool {
        revision.is_modern()
            && matches!(
                self,
                Method::Discover
                    | Method::ToolsList
                    | Method::PromptsList
                    | Method::ResourcesList
                    | Method::TemplatesList
                    | Method::ResourcesRead
            )
    }

    /// May be answered with `resultType: "input_required"` (2026-07-28 and later).
    pub fn may_ask_for_input(self, revision: Revision) -> bool {
        revision.is_modern() && matches!(self, Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead)
    }

    /// May stand in `inputRequests` of an `input_required` result.
    pub fn is_input_request(self) -> bool {
        matches!(self, Method::Elicit | Method::CreateMessage | Method::RootsList)
    }

    /// May carry `params.task` (2025-11-25) or be answered with a task by the extension (2026-07-28).
    pub fn may_become_task(self, revision: Revision) -> bool {
        match self {
            Method::ToolsCall => revision >= Revision::V2025_11_25,
            Method::CreateMessage | Method::Elicit => revision == Revision::V2025_11_25,
            _ => false,
        }
    }

    /// Stays open by design: no answer is no fault.
    pub fn is_long_lived(self) -> bool {
        self == Method::Listen
    }

    /// Waits for a person or for another program's end: slow answers say nothing about the peer.
    pub fn may_wait(self) -> bool {
        matches!(self, Method::Listen | Method::Elicit | Method::CreateMessage | Method::TasksResult)
    }

    /// The revision itself calls it deprecated.
    pub fn is_deprecated(self, revision: Revision) -> bool {
        revision.is_modern() && matches!(self, Method::Log | Method::RootsList | Method::CreateMessage)
    }

    /// The method with the nearest name (Damerau-Levenshtein distance of at most 3, or equal but for case and
    /// separators); for "did you mean".
    pub fn nearest(name: &str) -> Option<Method> {
        fn plain(s: &str) -> String {
            s.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
        }
        if name.len() > 80 {
            return None;
        }
        let folded = plain(name);
        if let Some(m) = Method::ALL.iter().find(|m| plain(m.name()) == folded) {
            return Some(*m);
        }
        Method::ALL
            .iter()
            .map(|m| (strsim::damerau_levenshtein(name, m.name()), *m))
            .filter(|(d, m)| *d <= 3 && *d * 3 <= m.name().len())
            .min_by_key(|(d, _)| *d)
            .map(|(_, m)| m)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use Revision::*;

    #[test]
    fn names_are_unique_and_found() {
        for m in Method::ALL {
            assert_eq!(Method::lookup(m.name()), Some(*m));
            assert_eq!(m.kind() == Kind::Notification, m.name().starts_with("notifications/"), "{}", m.name());
            assert_eq!(m.is_paginated(), m.list_member().is_some());
        }
        assert_eq!(Method::lookup("Tools/list"), None);
        assert_eq!(Method::lookup(""), None);
    }

    #[test]
    fn revisions_decide() {
        assert!(Method::Ping.is_in(V2025_11_25) && !Method::Ping.is_in(V2026_07_28));
        assert_eq!(Method::TasksGet.extension(V2026_07_28), Some(TASKS_EXTENSION));
        assert_eq!(Method::TasksGet.extension(V2025_11_25), None);
        assert!(!Method::Progress.way(V2026_07_28).allows(Side::Client));
        assert!(Method::Progress.way(V2025_11_25).allows(Side::Client));
        assert!(!Way::Both.allows_dir(Dir::Err));
        assert_eq!(Method::Complete.needs(V2024_11_05), None);
        assert_eq!(Method::Complete.needs(V2025_03_26).unwrap(), ["completions"]);
        assert!(Method::ToolsCall.may_become_task(V2026_07_28) && !Method::Elicit.may_become_task(V2026_07_28));
        assert!(Method::Discover.is_cacheable(V2026_07_28) && !Method::ToolsList.is_cacheable(V2025_11_25));
    }

    #[test]
    fn nearest_name() {
        assert_eq!(Method::nearest("tool/list"), Some(Method::ToolsList));
        assert_eq!(Method::nearest("tools_call"), Some(Method::ToolsCall));
        assert_eq!(Method::nearest("logging/set_level"), Some(Method::SetLevel));
        assert_eq!(Method::nearest("vendor/thing"), None);
    }
}
