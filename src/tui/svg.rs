//! A drawing as an SVG picture: the same cells give the same bytes, so that a test can hold a picture to the program.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

/// Size of a cell, in picture units.
const WIDTH: f32 = 8.4;
const HEIGHT: f32 = 18.0;

/// Draws the cells on a background, with round corners and a margin.
pub fn render(buffer: &Buffer, background: &str, foreground: &str) -> String {
    let (columns, rows) = (f32::from(buffer.area.width), f32::from(buffer.area.height));
    let (w, h) = (columns * WIDTH + 24.0, rows * HEIGHT + 24.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.1} {h:.1}\" width=\"{w:.0}\" height=\"{h:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{background}\"/>\n\
         <g font-family=\"ui-monospace,'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"14\" \
         xml:space=\"preserve\">\n"
    );
    for y in 0..buffer.area.height {
        let top = f32::from(y) * HEIGHT + 12.0;
        let mut x = 0;
        while x < buffer.area.width {
            let cell = &buffer[(x, y)];
            let style = (cell.fg, cell.bg, cell.modifier);
            let from = x;
            let mut text = String::new();
            while x < buffer.area.width {
                let next = &buffer[(x, y)];
                if (next.fg, next.bg, next.modifier) != style {
                    break;
                }
                text.push_str(next.symbol());
                x += (next.symbol().width() as u16).max(1);
            }
            run(&mut out, &text, from, x - from, top, style, background, foreground);
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn run(
    out: &mut String,
    text: &str,
    from: u16,
    columns: u16,
    top: f32,
    (fg, bg, modifier): (Color, Color, Modifier),
    background: &str,
    foreground: &str,
) {
    let reversed = modifier.contains(Modifier::REVERSED);
    let (mut front, mut back) = (colour(fg), colour(bg));
    if reversed {
        (front, back) =
            (Some(back.unwrap_or_else(|| background.to_owned())), Some(front.unwrap_or_else(|| foreground.to_owned())));
    }
    let left = f32::from(from) * WIDTH + 12.0;
    let width = f32::from(columns) * WIDTH;
    if let Some(back) = back {
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{HEIGHT:.1}\" fill=\"{back}\"/>"
        );
    }
    if text.trim().is_empty() {
        return;
    }
    let mut attributes = format!(" fill=\"{}\"", front.as_deref().unwrap_or(foreground));
    if modifier.contains(Modifier::BOLD) {
        attributes.push_str(" font-weight=\"bold\"");
    }
    if modifier.contains(Modifier::ITALIC) {
        attributes.push_str(" font-style=\"italic\"");
    }
    if modifier.contains(Modifier::UNDERLINED) {
        attributes.push_str(" text-decoration=\"underline\"");
    }
    if modifier.contains(Modifier::DIM) {
        attributes.push_str(" opacity=\"0.6\"");
    }
    let escaped = text.trim_end().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let length = f32::from(text.trim_end().width() as u16) * WIDTH;
    let base = top + 13.5;
    let _ = writeln!(
        out,
        "<text x=\"{left:.1}\" y=\"{base:.1}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\"{attributes}>{escaped}</text>"
    );
}

fn colour(c: Color) -> Option<String> {
    let name = match c {
        Color::Reset => return None,
        Color::Rgb(r, g, b) => return Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Indexed(_) => "#8b95a7",
        Color::Black => "#1b1f27",
        Color::Red => "#cc6666",
        Color::Green => "#8abeb7",
        Color::Yellow => "#f0c674",
        Color::Blue => "#81a2be",
        Color::Magenta => "#b294bb",
        Color::Cyan => "#8abeb7",
        Color::Gray => "#c5c8c6",
        Color::DarkGray => "#7d8697",
        Color::LightRed => "#ff6b6b",
        Color::LightGreen => "#7ee08a",
        Color::LightYellow => "#ffe066",
        Color::LightBlue => "#6cb6ff",
        Color::LightMagenta => "#d7a1ff",
        Color::LightCyan => "#5fd7d7",
        Color::White => "#ffffff",
    };
    Some(name.to_owned())
}
