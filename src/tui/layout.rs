//! Where everything is, as a function of size and model: `update` scrolls by it and `view` draws by it.
//!
//! ```text
//!  title
//!  ─ exchanges ──────────────────────────
//!    #   time   method …                     column heads
//!    41  …                                   list
//!  refused because …                         only where there is a reason
//!  ─ envelope ─────────┬─ payload ───────    beside each other from 110 columns on,
//!   …                  │ …                   stacked from 70 on, below that one at a time
//!  ─ findings ───────────────────────────    a strip of its own in tall terminals
//!  hints
//! ```

use ratatui::layout::Rect;

use super::model::{Model, Pane};

/// A pane with its title line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    /// Which.
    pub pane: Pane,
    /// The line with its title.
    pub head: Rect,
    /// Its content.
    pub body: Rect,
}

/// Places on the screen. What does not fit is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Areas {
    /// The top line.
    pub title: Rect,
    /// Column heads of the list.
    pub columns: Rect,
    /// List and panes that are shown.
    pub panes: Vec<Area>,
    /// The line with the reason.
    pub reason: Rect,
    /// The divider between two panes beside each other.
    pub divider: Rect,
    /// The divider right of the client's tools.
    pub side: Rect,
    /// The bottom line.
    pub hints: Rect,
    /// Everything between title and hints: pages and the start screen.
    pub middle: Rect,
}

/// Columns from which panes stand beside each other.
pub const SIDE_BY_SIDE: u16 = 110;
/// Columns from which panes are stacked; below it there is one at a time.
pub const STACKED: u16 = 70;
/// Columns from which the client's tools stand beside the rest.
const BESIDE: u16 = 100;
/// Rows from which findings have a strip of their own.
const TALL: u16 = 32;

impl Areas {
    /// The area of a pane, if it is shown.
    pub fn of(&self, pane: Pane) -> Option<Area> {
        self.panes.iter().copied().find(|a| a.pane == pane)
    }

    /// Rows of a pane; a page where it is not shown.
    pub fn height(&self, pane: Pane) -> usize {
        usize::from(self.of(pane).map_or(self.middle.height.saturating_sub(2), |a| a.body.height))
    }
}

fn rows(area: Rect, from: u16, height: u16) -> Rect {
    let y = area.y + from.min(area.height);
    Rect { y, height: height.min(area.bottom().saturating_sub(y)), ..area }
}

fn with_head(pane: Pane, area: Rect) -> Area {
    Area { pane, head: rows(area, 0, 1), body: rows(area, 1, area.height.saturating_sub(1)) }
}

/// Lays the main screen out.
pub fn areas(m: &Model) -> Areas {
    let (width, height) = m.size;
    let screen = Rect { x: 0, y: 0, width, height };
    let client = m.client.is_some();
    let mut a = Areas {
        title: rows(screen, 0, 1),
        hints: if height > 1 { rows(screen, height - 1, 1) } else { Rect::default() },
        middle: rows(screen, 1, height.saturating_sub(2)),
        ..Areas::default()
    };
    let middle = a.middle;
    if middle.height == 0 || width == 0 {
        return a;
    }
    // The client's tools stand at the left; in a narrow terminal they take the place of the list while they have the keys.
    let beside = if client && width >= BESIDE { (width / 4).clamp(24, 44) } else { 0 };
    let (whole, middle) = (middle, Rect { x: beside, width: width - beside, ..middle });
    let width = middle.width;
    if beside > 0 && !m.zoom {
        a.panes.push(with_head(Pane::Tools, Rect { width: beside.saturating_sub(1), ..whole }));
        a.side = Rect { x: beside - 1, width: 1, ..whole };
    }
    let middle = if m.zoom { whole } else { middle };
    let width = if m.zoom { whole.width } else { width };
    let tools_instead = client && beside == 0 && m.focus == Pane::Tools;
    let list_area = |a: &mut Areas, area: Rect| {
        if tools_instead {
            a.panes.push(with_head(Pane::Tools, area));
            return;
        }
        a.columns = rows(area, 1, 1);
        a.panes.push(Area {
            pane: Pane::List,
            head: rows(area, 0, 1),
            body: rows(area, 2, area.height.saturating_sub(2)),
        });
    };
    if m.zoom || middle.height < 9 {
        match m.focus {
            Pane::List => list_area(&mut a, middle),
            Pane::Tools if middle.height < 9 && beside > 0 => list_area(&mut a, middle),
            pane => a.panes.push(with_head(pane, middle)),
        }
        return a;
    }
    let share = u32::from(m.list_share) * u32::from(middle.height) / 1000;
    let list_height = (share as u16).clamp(4, middle.height.saturating_sub(5));
    list_area(&mut a, rows(middle, 0, list_height));
    let mut below = rows(middle, list_height, middle.height - list_height);
    let detail = m.detail.as_ref();
    if detail.is_some_and(|d| d.reason.is_some()) {
        a.reason = rows(below, 0, 1);
        below = rows(below, 1, below.height - 1);
    }
    let findings = detail.map_or(0, |d| d.findings.blocks.len()) as u16;
    let strip = findings > 0 && height >= TALL;
    if strip {
        let strip_height = (findings + 1).min(below.height / 3).max(3);
        let area = rows(below, below.height - strip_height, strip_height);
        below = rows(below, 0, below.height - strip_height);
        a.panes.push(with_head(Pane::Findings, area));
    }
    // Without a strip findings take the place of the envelope while they have the keys.
    let first = if m.focus == Pane::Findings && !strip { Pane::Findings } else { Pane::Envelope };
    if width >= SIDE_BY_SIDE {
        let left = (u32::from(width) * u32::from(m.envelope_share) / 1000) as u16;
        let left = left.clamp(20, width - 30);
        a.panes.push(with_head(first, Rect { width: left, ..below }));
        a.divider = Rect { x: below.x + left, width: 1, ..below };
        let right = Rect { x: below.x + left + 1, width: width - left - 1, ..below };
        a.panes.push(with_head(Pane::Payload, right));
    } else if width >= STACKED {
        let upper = (u32::from(below.height) * u32::from(m.envelope_share) / 1000) as u16;
        let upper = upper.clamp(3, below.height.saturating_sub(3).max(3));
        a.panes.push(with_head(first, rows(below, 0, upper)));
        a.panes.push(with_head(Pane::Payload, rows(below, upper, below.height.saturating_sub(upper))));
    } else {
        let pane = match m.focus {
            Pane::List | Pane::Tools => Pane::Payload,
            Pane::Findings if strip => Pane::Payload,
            pane => pane,
        };
        a.panes.push(with_head(pane, below));
    }
    a
}

/// The area of a page's text, inside its frame.
pub fn page_body(a: &Areas) -> Rect {
    let m = a.middle;
    Rect { y: m.y + 1.min(m.height), height: m.height.saturating_sub(1), ..m }
}
