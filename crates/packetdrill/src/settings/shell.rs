//! Finds settings in shell commands. No command is run: scripts use few commands, always in the same form.

use super::{defaults, sysctl, Settings};
use crate::python;

/// Reads commands in order and applies their settings.
pub fn apply_commands(settings: &mut Settings, commands: &str) {
    let joined = commands.replace("\\\n", " ");
    for line in joined.lines().flat_map(|line| line.split("&&")).flat_map(split_outside_quotes) {
        let words = words(&line);
        if !words.is_empty() {
            apply(settings, &words);
        }
    }
}

fn apply(settings: &mut Settings, words: &[String]) {
    let command = words[0].rsplit('/').next().unwrap_or_default();
    match command {
        "defaults.sh" => defaults::apply(settings),
        "sysctl" if assignments(words).next().is_some() => {
            for (name, value) in assignments(words) {
                set(settings, name, value);
            }
        }
        "set_sysctls.py" => {
            for (path, value) in assignments(words) {
                set(settings, path, value);
            }
        }
        "echo" => match words.iter().position(|word| word == ">") {
            Some(at) if at + 1 < words.len() => set(settings, &words[at + 1], &words[1..at].join(" ")),
            _ => {}
        },
        "ethtool" if words.windows(2).any(|pair| pair[1] == "off" && matches!(pair[0].as_str(), "tso" | "gso")) => {
            settings.missing = Some("a host without segmentation offload");
        }
        "tc" => set_queue(settings, words),
        "ip" if words.get(1).is_some_and(|word| word.starts_with("tcp_metrics")) => {}
        _ if command.starts_with("sysctl_restore") => {}
        "true" | ":" | "sleep" | "set" => {}
        _ => settings.note(format!("command not run: {}", words.join(" "))),
    }
}

fn assignments(words: &[String]) -> impl Iterator<Item = (&str, &str)> {
    words[1..].iter().filter_map(|word| word.split_once('='))
}

/// Applies a setting that is named as a sysctl or as a file of /proc or /sys.
fn set(settings: &mut Settings, path: &str, value: &str) {
    let name = path.trim_start_matches("/proc/sys/").replace('/', ".");
    if let Some(name) = name.strip_prefix("net.ipv4.") {
        sysctl::apply(settings, name, value);
    } else if let Some(parameter) = path.strip_prefix("/sys/module/tcp_cubic/parameters/") {
        sysctl::apply_cubic(settings, parameter, value);
    } else if name.starts_with("net.inet.") || name.starts_with("kern.") {
        settings
            .note(format!("setting {path}={value} has no effect here: it is one of BSD; give Linux's net.ipv4...."));
    } else {
        settings.note(format!("setting {path}={value} has no effect here"));
    }
}

/// `tc qdisc replace dev tun0 root fq`.
fn set_queue(settings: &mut Settings, words: &[String]) {
    let Some(root) = words.iter().position(|word| word == "root") else {
        return settings.note(format!("command not run: {}", words.join(" ")));
    };
    let kind = words.get(root + 1).map(String::as_str).unwrap_or_default();
    settings.sender.fq_pacing = kind == "fq";
    let limit = words.iter().position(|word| word == "limit").and_then(|at| words.get(at + 1));
    settings.queue_is_closed = limit.is_some_and(|limit| limit == "0");
    if !matches!(kind, "fq" | "pfifo" | "bfifo" | "pfifo_fast" | "noqueue" | "") {
        settings.note(format!("queue {kind} is played as a plain one"));
    }
}

/// Commands between semicolons, without comments.
fn split_outside_quotes(line: &str) -> Vec<String> {
    let mut commands = vec![String::new()];
    let mut quote = None;
    let mut depth = 0;
    for c in line.chars() {
        match c {
            '#' if quote.is_none() && depth == 0 => break,
            ';' if quote.is_none() => commands.push(String::new()),
            _ => {
                match c {
                    '"' | '\'' if quote.is_none() => quote = Some(c),
                    c if quote == Some(c) => quote = None,
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    _ => {}
                }
                commands.last_mut().expect("there is one").push(c);
            }
        }
    }
    commands
}

/// Words of a command without quotes; `$((...))` is evaluated.
fn words(command: &str) -> Vec<String> {
    let mut text = command.to_owned();
    while let Some(start) = text.find("$((") {
        let Some(length) = text[start..].find("))") else { break };
        let value = arithmetic(&text[start + 3..start + length]);
        text.replace_range(start..start + length + 2, &value);
    }
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in text.chars().chain([' ']) {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.push(c),
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            None => word.push(c),
        }
    }
    // Redirections only matter for `echo`.
    let is_echo = words.first().is_some_and(|first| first == "echo");
    if let (false, Some(at)) = (is_echo, words.iter().position(|word| word.contains('>'))) {
        words.truncate(at);
    }
    words
}

fn arithmetic(expression: &str) -> String {
    let mut variables = python::Variables::new();
    match python::run(&format!("value = {expression}"), &mut variables, &mut Vec::new()) {
        Ok(()) => variables["value"].to_string(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_in_shell_commands() {
        let mut settings = Settings::default();
        apply_commands(
            &mut settings,
            "../common/defaults.sh\n\
             sysctl -q net.ipv4.tcp_rmem=\"4096 540000 $((15*1024*1024))\" # large\n\
             sysctl -q net.ipv4.tcp_early_retrans=0 net/ipv4/tcp_min_tso_segs=4 > /dev/null 2>&1\n\
             ../common/set_sysctls.py /proc/sys/net/ipv4/tcp_slow_start_after_idle=1 \\\n /proc/sys/net/ipv4/tcp_ecn=1\n\
             echo 1 > /sys/module/tcp_cubic/parameters/hystart_detect; tc qdisc replace dev tun0 root fq\n\
             ip route change 10.0.0.0/8 dev tun0 initcwnd 20",
        );
        assert_eq!(settings.receiver.rmem_max_bytes, 15 << 20);
        assert!(!settings.sender.tail_loss_probe && settings.sender.slow_start_after_idle && settings.sender.fq_pacing);
        assert_eq!((settings.sender.min_burst_segments, settings.ecn), (4, 1));
        assert_eq!(settings.parameters.get("hystart_detect"), Some(&1));
        assert_eq!(settings.notes, ["command not run: ip route change 10.0.0.0/8 dev tun0 initcwnd 20"]);
    }
}
