//! Translates messages of compilers into errors.

use crate::c_source::CSource;
use crate::error::LoadError;
use crate::sandbox::{Output, COMPILER_CPU_S, COMPILER_MEMORY_BYTES, OBJECT_BYTES};
use fairlane_congestion_control::table::{completed, visible_members};
use fairlane_congestion_control::TcpSock;
use std::path::Path;

/// The mark, in the headers, of members that the simulator does not keep; both compilers repeat it.
const NOT_KEPT: &str = "not kept by the simulator";

/// The compiler's warnings about the program itself, each `file:line: warning: ...`.
pub fn warnings(path: &Path, output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut found: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.contains(NOT_KEPT)) {
        let Some((place, message)) = line.split_once(": warning: ") else { continue };
        let Some(place) = place_in(path, &format!("{place}:")) else { continue };
        let warning = format!("{place}: warning: {message}");
        if !found.contains(&warning) {
            found.push(warning);
        }
    }
    found
}

/// The members that the program reads although the simulator does not keep them, with the place of the first.
pub fn reads_of_what_is_not_kept(path: &Path, source: &CSource, output: &Output) -> Option<LoadError> {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut location = None;
    let mut members = Vec::new();
    for line in text.lines() {
        let Some((place, message)) = line.split_once(": warning: ") else { continue };
        let Some(member) = message.split('\'').nth(1).filter(|_| message.contains(NOT_KEPT)) else { continue };
        let place = match source.unconditional_read(member) {
            Ok(None) => continue,
            Ok(Some(line)) => format!("{}:{line}", path.display()),
            Err(()) => place_in(path, &format!("{place}:")).unwrap_or_else(|| without_column(place)),
        };
        location.get_or_insert(place);
        if !members.iter().any(|known| known == member) {
            members.push(member.to_owned());
        }
    }
    Some(LoadError::NotKept { location: location?, members })
}

/// The compiler's first error.
pub struct Diagnosis {
    pub location: String,
    pub reason: String,
    excess: Option<String>,
}

impl Diagnosis {
    pub fn of(path: &Path, output: &Output) -> Self {
        let text = String::from_utf8_lossy(&output.stderr);
        let excess = excess_in(path, &text);
        for line in text.lines() {
            for mark in [": fatal error: ", ": error: "] {
                if let Some((place, reason)) = line.split_once(mark) {
                    let location = place_in(path, place).or_else(|| text.lines().find_map(|line| place_in(path, line)));
                    return Self {
                        location: location.unwrap_or_else(|| without_column(place)),
                        reason: with_our_hint(reason.trim()),
                        excess,
                    };
                }
            }
        }
        let complaints = || text.lines().filter(|line| !line.is_empty() && !line.contains("warning: "));
        let reason = complaints().find(|line| line.contains("multiple definition")).or(complaints().next());
        Self {
            location: path.display().to_string(),
            reason: reason.unwrap_or("the compiler failed").to_owned(),
            excess,
        }
    }

    /// The limit that the compiler exceeded, and the remedy.
    pub fn excess(&self) -> Option<&str> {
        self.excess.as_deref()
    }

    pub fn into_error(self, path: &Path) -> LoadError {
        match self.excess {
            Some(excess) => LoadError::TooCostly { path: path.into(), excess },
            None => LoadError::DoesNotCompile { location: self.location, reason: self.reason },
        }
    }

    /// An assignment to a read-only member, in the messages of gcc or clang.
    pub fn is_forbidden_write(&self) -> bool {
        self.reason.contains("of read-only member") || self.reason.contains("non-static data member")
    }

    /// The line with floating point in the text, as the compiler may name only the function.
    pub fn location_of_floats(self, source: &CSource) -> String {
        let Some((path, line)) = self.location.rsplit_once(':') else { return self.location };
        let Ok(first) = line.parse::<usize>() else { return self.location };
        let line = source.line_with_floats(first).unwrap_or(first);
        format!("{path}:{line}")
    }

    /// The messages of gcc for x86 and for Arm. clang compiles calls of undefined functions.
    pub fn is_about_floats(&self) -> bool {
        self.reason.contains("with SSE disabled") || self.reason.contains("use of floating-point types")
    }
}

/// The limit that a compiler exceeded. Compilers say in their own words how their parts ended, in lines that quote nothing
/// of the program.
fn excess_in(path: &Path, text: &str) -> Option<String> {
    let own = text.lines().filter(|line| !line.starts_with(' ') && place_in(path, line).is_none());
    let own: Vec<String> = own.map(str::to_lowercase).collect();
    let says = |words: &[&str]| own.iter().any(|line| words.iter().any(|word| line.contains(word)));
    let (needs, limit) = if says(&["cpu time limit exceeded", "sigxcpu"]) {
        ("takes the compiler more than", format!("{COMPILER_CPU_S} s of CPU time"))
    } else if says(&["out of memory", "memory exhausted", "bad_alloc", "cannot allocate memory", "allocation failed"]) {
        ("takes the compiler more than", format!("{} GiB of memory", COMPILER_MEMORY_BYTES >> 30))
    } else if says(&["file size limit exceeded", "file too large", "sigxfsz"]) {
        ("has an object file of more than", format!("{} MiB", OBJECT_BYTES >> 20))
    } else {
        return None;
    };
    Some(format!("{needs} {limit}, the most that it may; make it smaller"))
}

/// Compilers suggest the member with the most similar spelling, `rcv_wnd` for `cwnd`; a missing prefix is more likely.
fn with_our_hint(reason: &str) -> String {
    let is_of = |structure: &&str| reason.contains(&format!("struct {structure}'"));
    let structure = ["tcp_sock", "inet_connection_sock", "sock"].into_iter().find(is_of);
    let word = reason.split_once("no member named '").and_then(|(_, rest)| rest.split('\'').next());
    let (Some(structure), Some(word)) = (structure, word) else { return reason.to_owned() };
    let bare = reason.split("; did you mean").next().unwrap_or(reason);
    let members = visible_members::<TcpSock>();
    if let Some(other) = members.iter().find(|member| member.path() == word && member.structure != structure) {
        return format!("{bare}; it is a member of struct {}", other.structure);
    }
    match completed(word, members.iter().map(|member| member.path())) {
        Some(name) => format!("{bare}; did you mean '{name}'?"),
        None => reason.to_owned(),
    }
}

/// `path:line` if the message is about the program itself, not about a header from which a macro comes.
fn place_in(path: &Path, line: &str) -> Option<String> {
    let path = path.to_string_lossy();
    let after = &line[line.find(&format!("{path}:"))? + path.len() + 1..];
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| format!("{path}:{}", &after[..digits]))
}

/// `file:line` of `file:line:column`.
fn without_column(place: &str) -> String {
    let mut parts: Vec<&str> = place.rsplitn(3, ':').collect();
    let numbers = parts.iter().take(2).filter(|part| part.bytes().all(|b| b.is_ascii_digit())).count();
    if parts.len() == 3 && numbers == 2 {
        parts.remove(0);
    }
    parts.reverse();
    parts.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_one_in_the_program_itself() {
        let path = Path::new("a/b.c");
        let note = "    inlined from 'f' at a/b.c:9:7:";
        assert_eq!(place_in(path, note).as_deref(), Some("a/b.c:9"));
        assert_eq!(place_in(path, "native/bpf/bpf_tracing.h:45:2: error: x"), None);
        assert_eq!(place_in(path, "a/b.c: In function 'f':"), None);
    }

    #[test]
    fn a_member_without_its_prefix_is_completed() {
        let gcc = "'struct tcp_sock' has no member named 'cwnd'; did you mean 'rcv_wnd'?";
        assert_eq!(with_our_hint(gcc), "'struct tcp_sock' has no member named 'cwnd'; did you mean 'snd_cwnd'?");
        let clang = "no member named 'sk_pacing_rate' in 'struct tcp_sock'";
        assert_eq!(with_our_hint(clang), format!("{clang}; it is a member of struct sock"));
        let other = "'struct mine' has no member named 'cwnd'";
        assert_eq!(with_our_hint(other), other);
    }

    #[test]
    fn a_location_is_file_and_line() {
        assert_eq!(without_column("a/b.c:12:7"), "a/b.c:12");
        assert_eq!(without_column("a/b.c:12"), "a/b.c:12");
        assert_eq!(without_column("ld"), "ld");
    }
}
