//! Actions: everything a key, a click or the palette can ask for, as plain data. One table gives their names and their
//! help; the keymap, the help page, the hints and the palette are made from it.

/// Where keys go. The innermost one that is active is asked first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Ctx {
    /// Everywhere but in an input line.
    Global,
    /// The list of exchanges or messages.
    List,
    /// A pane with rows: envelope, payload, findings.
    Body,
    /// A page over the screen: help, a rule, statistics.
    Page,
    /// A menu or a question.
    Menu,
    /// An input line: filter, palette.
    Prompt,
    /// The start screen.
    Home,
    /// The editor of a call's arguments.
    Edit,
}

impl Ctx {
    /// The word in the key file and in the help.
    pub fn as_str(self) -> &'static str {
        match self {
            Ctx::Global => "global",
            Ctx::List => "list",
            Ctx::Body => "pane",
            Ctx::Page => "page",
            Ctx::Menu => "menu",
            Ctx::Prompt => "prompt",
            Ctx::Home => "home",
            Ctx::Edit => "edit",
        }
    }

    /// All of them.
    pub const ALL: [Ctx; 8] =
        [Ctx::Global, Ctx::List, Ctx::Body, Ctx::Page, Ctx::Menu, Ctx::Prompt, Ctx::Home, Ctx::Edit];
}

/// What the table says of an action.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The action.
    pub action: Action,
    /// Its name in the key file and in the palette.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Where it makes sense; empty = everywhere.
    pub contexts: &'static [Ctx],
    /// One word for the hint bar; empty = never shown there.
    pub hint: &'static str,
}

macro_rules! actions {
    ($($variant:ident $name:literal $hint:literal [$($ctx:ident)*] $help:literal;)*) => {
        /// What can be asked for.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Action {
            $(#[doc = $help] $variant,)*
        }

        /// Every action, in the order of the help.
        pub const ACTIONS: &[Info] = &[
            $(Info { action: Action::$variant, name: $name, help: $help, contexts: &[$(Ctx::$ctx),*], hint: $hint },)*
        ];
    };
}

actions! {
    // Moving.
    Down "down" "" [List Body Page Menu Home] "one row down";
    Up "up" "" [List Body Page Menu Home] "one row up";
    HalfDown "half-page-down" "" [List Body Page Home] "half a page down";
    HalfUp "half-page-up" "" [List Body Page Home] "half a page up";
    PageDown "page-down" "" [List Body Page Home] "a page down";
    PageUp "page-up" "" [List Body Page Home] "a page up";
    First "first" "" [List Body Page Home] "the first row";
    Last "last" "" [List Body Page Home] "the last row; in the list this follows new traffic";
    Left "left" "" [Body Page] "fold, or to the row above it; scroll left in a page";
    Right "right" "" [Body Page] "unfold; scroll right in a page";
    Enter "enter" "open" [List Body Page Menu Home] "open what is selected: pane, fold, long text, rule, exchange";
    NextPane "next-pane" "pane" [] "the next pane";
    PrevPane "previous-pane" "" [] "the pane before";
    Zoom "zoom" "" [List Body] "the focused pane alone, and back";
    Grow "grow-list" "" [List Body] "more room for the list";
    Shrink "shrink-list" "" [List Body] "less room for the list";
    // Looking.
    Filter "filter" "filter" [] "show only what matches (see the query language)";
    FilterThis "filter-this" "" [List Body] "filter by the method, tool or value under the cursor";
    FilterToggle "filter-toggle" "" [] "suspend the filter, and take it up again";
    Search "highlight" "" [] "highlight what matches without hiding anything";
    Messages "messages" "messages" [List Body] "single messages instead of exchanges, and back";
    NextError "next-error" "error" [List Body] "the next error";
    PrevError "previous-error" "" [List Body] "the error before";
    NextWarning "next-warning" "warning" [List Body] "the next row with a warning or worse";
    PrevWarning "previous-warning" "" [List Body] "the warning before";
    NextMatch "next-match" "" [List Body Page] "the next match";
    PrevMatch "previous-match" "" [List Body Page] "the match before";
    Partner "partner" "partner" [List Body] "request to response and back; a notification's request";
    NextOperation "next-step" "" [List Body] "the next step of the same operation (retry, progress, cancellation)";
    PrevOperation "previous-step" "" [List Body] "the step before";
    NextSame "next-same" "" [List Body] "the next exchange of the same method and tool";
    PrevSame "previous-same" "" [List Body] "the one before of the same method and tool";
    Follow "follow" "follow" [List Body] "follow new traffic, or stop";
    SetMark "set-mark" "" [List Body] "mark this row with a letter";
    GoMark "go-to-mark" "" [List Body] "to the row marked with a letter";
    Back "back" "" [List Body] "back to where the cursor was before the jump";
    Forward "forward" "" [List Body] "forward again";
    // Payload.
    View "payload-view" "view" [List Body] "payload as tree, as bytes, as hex";
    FoldAll "fold-all" "" [Body] "fold everything";
    UnfoldAll "unfold-all" "" [Body] "unfold everything (capped)";
    Schema "schema" "schema" [List Body] "the tool's schema beside the payload";
    Copy "copy" "copy" [List Body Page] "copy: value, pointer, message, exchange";
    Save "save" "" [List Body Page] "save what is shown to a file";
    // Pages.
    Findings "findings" "findings" [] "all findings by layer and owner";
    Stats "statistics" "stats" [] "latency, errors and traffic by method and tool";
    Catalogue "catalogue" "catalogue" [] "tools, prompts and resources as the server listed them";
    Lanes "lanes" "" [] "exchanges on a time axis";
    Why "why" "" [List Body] "why is this request stuck, and what happened since";
    Rule "rule" "" [List Body] "the rule of the worst finding here";
    Diff "diff" "diff" [List Body] "compare with the mark, the retry or the same call before";
    // The client.
    Call "call" "call" [] "write and send a call (when mcpscope is the client)";
    Resend "resend" "resend" [List Body] "write this call again with the same arguments";
    Send "send" "send" [Edit] "check the arguments and send";
    SendAnyway "send-anyway" "" [Edit] "send although the schema says no";
    // Screen.
    Help "help" "keys" [] "keys of the place where you are";
    Palette "palette" "" [] "find any command by its name";
    Theme "theme" "" [] "the next colour theme";
    Mouse "mouse" "" [] "mouse for mcpscope, or for the terminal's own selection";
    Redraw "redraw" "" [] "draw everything again";
    Close "close" "back" [] "close what is open, else leave";
    Cancel "cancel" "back" [] "close what is open";
    Quit "quit" "quit" [] "leave";
    Suspend "suspend" "" [] "to the shell (fg comes back)";
    // Input lines.
    Accept "accept" "accept" [Prompt] "take what is typed";
    Complete "complete" "" [Prompt] "complete the word";
    HistoryUp "history-up" "" [Prompt] "the entry before";
    HistoryDown "history-down" "" [Prompt] "the entry after";
    CursorLeft "cursor-left" "" [Prompt] "one character left";
    CursorRight "cursor-right" "" [Prompt] "one character right";
    CursorHome "cursor-home" "" [Prompt] "to the beginning";
    CursorEnd "cursor-end" "" [Prompt] "to the end";
    DeleteBack "delete-back" "" [Prompt] "delete the character before";
    DeleteWord "delete-word" "" [Prompt] "delete the word before";
    DeleteAll "delete-all" "" [Prompt] "delete everything before the cursor";
    // Home.
    OpenFile "open-file" "open" [Home] "open a trace or log";
    Demo "demo" "demo" [Home] "a demo server with every outcome";
    Wrap "wrap" "watch" [Home] "watch a server that your hosts already use";
    Pin "pin" "" [Home] "keep this trace for ever, or no longer";
}

impl Action {
    /// Its row in the table.
    pub fn info(self) -> &'static Info {
        // The table is made from the same list as the enum, in the same order.
        &ACTIONS[self as usize]
    }

    /// By its name.
    pub fn named(name: &str) -> Option<Action> {
        ACTIONS.iter().find(|i| i.name == name).map(|i| i.action)
    }

    /// Whether it makes sense in a context.
    pub fn is_for(self, ctx: Ctx) -> bool {
        let contexts = self.info().contexts;
        contexts.is_empty() || contexts.contains(&ctx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_whole_and_names_are_unique() {
        for (i, info) in ACTIONS.iter().enumerate() {
            assert_eq!(info.action as usize, i);
            assert_eq!(Action::named(info.name), Some(info.action));
            assert!(!info.help.ends_with('.') && info.help.len() < 80, "{}", info.name);
        }
    }
}
