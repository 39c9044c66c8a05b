//! How much memory the record of a burst may take.

/// Less than this is no buffer at all.
const LEAST: u64 = 64 << 20;

/// Bytes that may wait for the recorder: a quarter of the memory that is free now, as much as the run may record, and
/// 1 GiB at most. A burst at the speed of memory is some hundred megabytes; a machine without them must not be driven
/// into the ground for a record.
pub fn ceiling(max_record: u64) -> usize {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let free = free(&read("/proc/meminfo"), &read("/sys/fs/cgroup/memory.max"));
    // Where the system does not tell it is taken to be an ordinary one.
    let bytes = free.unwrap_or(1 << 30) / 4;
    usize::try_from(bytes.min(max_record).clamp(LEAST, 1 << 30)).unwrap_or(LEAST as usize)
}

/// Bytes that the system says are available, and not more than the control group allows in all.
fn free(meminfo: &str, cgroup: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes: Option<u64> = line.and_then(|l| l.split_whitespace().next()).and_then(|n| n.parse().ok());
    let group: Option<u64> = cgroup.trim().parse().ok();
    let available = kilobytes.map(|k| k << 10);
    available.into_iter().chain(group).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_of_machine_and_group() {
        let meminfo = "MemTotal:       24683652 kB\nMemAvailable:    1048576 kB\n";
        assert_eq!(free(meminfo, "max\n"), Some(1 << 30));
        assert_eq!(free(meminfo, "536870912\n"), Some(512 << 20));
        assert_eq!(free("", ""), None);
        let bytes = ceiling(u64::MAX) as u64;
        assert!((LEAST..=1 << 30).contains(&bytes));
        assert_eq!(ceiling(0) as u64, LEAST);
    }
}
