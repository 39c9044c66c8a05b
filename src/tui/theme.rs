//! Colours by meaning. Each theme is a file of `meaning = "colour [on colour] [modifiers]"`; no colour stands elsewhere.

use ratatui::style::{Color, Modifier, Style};

macro_rules! inks {
    ($($ink:ident $name:literal $help:literal;)*) => {
        /// What something means, for its colour.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Ink { $(#[doc = $help] $ink,)* }

        /// Meanings with their names in theme files.
        pub const INKS: &[(Ink, &str)] = &[$((Ink::$ink, $name),)*];
    };
}

inks! {
    Text "text" "Ordinary text.";
    Dim "dim" "What matters less: units, labels, punctuation.";
    Strong "strong" "What matters more.";
    Accent "accent" "Names and things that can be opened.";
    Bar "bar" "The title bar.";
    BarStrong "bar-strong" "Names in the title bar.";
    Rule "rule" "Lines between panes.";
    Title "title" "Title of a pane.";
    TitleFocus "title-focus" "Title of the pane that has the keys.";
    Cursor "cursor" "The selected row of the pane that has the keys.";
    CursorIdle "cursor-idle" "The selected row of another pane.";
    Live "live" "The live sign.";
    Client "client" "Client to server.";
    Server "server" "Server to client.";
    Ok "ok" "Answered.";
    ToolError "tool-error" "A tool failed: isError.";
    ProtocolError "protocol-error" "A JSON-RPC error, or a refusal.";
    Pending "pending" "In flight.";
    Input "input" "Asks for input.";
    Cancelled "cancelled" "Cancelled, or not answered.";
    Odd "odd" "Orphans, unreadable lines, noise.";
    Stderr "stderr" "The server's standard error.";
    Info "info" "A finding: worth seeing.";
    Warning "warning" "A finding: breaks a SHOULD.";
    Error "error" "A finding: breaks a MUST.";
    Key "json-key" "Key of an object.";
    String "json-string" "A string.";
    Number "json-number" "A number.";
    Literal "json-literal" "true, false, null.";
    Note "note" "Said by mcpscope, not on the wire.";
    Hostile "hostile" "Characters written out because they would do something.";
    Match "match" "What the search found.";
    Hint "hint" "Text of the hint bar.";
    HintKey "hint-key" "Keys in the hint bar.";
    Popup "popup" "Background of what stands over the screen.";
    Code "code" "Keywords in code.";
    Comment "comment" "Comments and quotations.";
    Heading "heading" "Headings in Markdown.";
}

/// A theme: one style for each meaning.
#[derive(Clone, PartialEq, Debug)]
pub struct Theme {
    /// Its name.
    pub name: String,
    styles: Vec<Style>,
}

const FILES: [(&str, &str); 5] = [
    ("dark", include_str!("../../assets/themes/dark.toml")),
    ("light", include_str!("../../assets/themes/light.toml")),
    ("ansi", include_str!("../../assets/themes/ansi.toml")),
    ("contrast", include_str!("../../assets/themes/contrast.toml")),
    ("mono", include_str!("../../assets/themes/mono.toml")),
];

impl Theme {
    /// The built-in theme of this name.
    pub fn named(name: &str) -> Option<Theme> {
        let (name, text) = FILES.iter().find(|(n, _)| *n == name)?;
        Theme::parse(name, text).ok()
    }

    /// Names of the built-in themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().map(|(n, _)| *n)
    }

    /// The theme that fits the terminal, from its environment: `NO_COLOR` (any text) means no colour at all,
    /// `COLORTERM` tells of 24-bit colours, `COLORFGBG` of a light background.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> Theme {
        let light = var("COLORFGBG").is_some_and(|v| matches!(v.rsplit(';').next(), Some("7" | "15")));
        let rich = var("COLORTERM").is_some_and(|v| v == "truecolor" || v == "24bit");
        let name = if var("NO_COLOR").is_some_and(|v| !v.is_empty()) || var("TERM").is_some_and(|t| t == "dumb") {
            "mono"
        } else if light {
            "light"
        } else if rich {
            "dark"
        } else {
            "ansi"
        };
        Theme::named(name).unwrap_or_else(Theme::plain)
    }

    /// No styles at all.
    pub fn plain() -> Theme {
        Theme { name: "plain".into(), styles: vec![Style::new(); INKS.len()] }
    }

    /// Reads a theme.
    ///
    /// # Errors
    /// What cannot be read, in words.
    pub fn parse(name: &str, text: &str) -> Result<Theme, String> {
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.message().to_owned())?;
        let mut theme = Theme { name: name.to_owned(), styles: vec![Style::new(); INKS.len()] };
        for (key, value) in &table {
            let Some((ink, _)) = INKS.iter().find(|(_, n)| n == key) else {
                return Err(format!("{name}: there is no {key:?} in a theme"));
            };
            let words = value.as_str().ok_or_else(|| format!("{name}: {key} is no string"))?;
            theme.styles[*ink as usize] =
                style(words).ok_or_else(|| format!("{name}: {key}: {words:?} is no style"))?;
        }
        Ok(theme)
    }

    /// The style of a meaning.
    pub fn get(&self, ink: Ink) -> Style {
        self.styles.get(ink as usize).copied().unwrap_or_default()
    }
}

fn style(words: &str) -> Option<Style> {
    let mut style = Style::new();
    let mut on = false;
    for word in words.split_whitespace() {
        let modifier = match word {
            "bold" => Some(Modifier::BOLD),
            "dim" => Some(Modifier::DIM),
            "italic" => Some(Modifier::ITALIC),
            "underline" => Some(Modifier::UNDERLINED),
            "reverse" => Some(Modifier::REVERSED),
            _ => None,
        };
        if let Some(modifier) = modifier {
            style = style.add_modifier(modifier);
        } else if word == "on" {
            on = true;
        } else {
            let colour: Color = word.parse().ok()?;
            style = if std::mem::take(&mut on) { style.bg(colour) } else { style.fg(colour) };
        }
    }
    (!on).then_some(style)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn built_in_themes_are_whole() {
        for (name, text) in FILES {
            let theme = Theme::parse(name, text).unwrap();
            // A failed tool and a failed protocol are never shown alike, and severities differ.
            for (a, b) in [(Ink::ToolError, Ink::ProtocolError), (Ink::Warning, Ink::Error), (Ink::Cursor, Ink::Text)] {
                assert_ne!(theme.get(a), theme.get(b), "{name}: {a:?} and {b:?}");
            }
            let table: toml::Table = text.parse().unwrap();
            for (_, ink) in INKS {
                assert!(table.contains_key(*ink), "{name} lacks {ink}");
            }
        }
    }

    #[test]
    fn mono_has_no_colour() {
        let theme = Theme::named("mono").unwrap();
        assert!(theme.styles.iter().all(|s| s.fg.is_none() && s.bg.is_none()));
    }

    #[test]
    fn from_the_environment() {
        let of = |vars: &[(&str, &str)]| {
            Theme::from_env(|n| vars.iter().find(|(k, _)| *k == n).map(|(_, v)| (*v).to_owned())).name
        };
        assert_eq!(of(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]), "mono");
        assert_eq!(of(&[("COLORTERM", "truecolor")]), "dark");
        assert_eq!(of(&[("COLORFGBG", "0;15")]), "light");
        assert_eq!(of(&[]), "ansi");
    }
}
