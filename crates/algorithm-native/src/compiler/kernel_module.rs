//! Recognises kernel modules, which are another form of the same algorithm, and says what to rewrite.

use crate::error::LoadError;
use std::path::Path;

/// Texts that only modules have.
const MARKS: [&str; 5] = [
    "#include <linux/module.h>",
    "module_init(",
    "module_exit(",
    "tcp_register_congestion_control(",
    "MODULE_LICENSE(",
];

/// The error for a text that is a kernel module; `None` for others.
pub fn error_of(path: &Path, text: &str) -> Option<LoadError> {
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ").replace("# include", "#include");
    let first = lines.iter().position(|line| MARKS.iter().any(|mark| squeezed(line).contains(mark)))?;
    // A program may have the includes of old helpers, but it has the sections of a program.
    if text.contains("SEC(\"struct_ops") || text.contains("SEC(\".struct_ops") || text.contains("BPF_PROG(") {
        return None;
    }
    let has = |word: &str| lines.iter().any(|line| line.contains(word));
    let callback = first_callback(text);
    let mut steps = vec![
        "include \"congestion_control.h\" instead of the kernel's headers".to_owned(),
        format!("write each callback as SEC(\"struct_ops\") {callback}"),
        "put SEC(\".struct_ops\") before the struct tcp_congestion_ops, with .name = (void *)function for callbacks, \
         and leave .owner out"
            .to_owned(),
    ];
    let leave_out: Vec<&str> = [
        ("module_init(", "module_init"),
        ("module_exit(", "module_exit"),
        ("tcp_register_congestion_control(", "the functions that register and unregister"),
        ("MODULE_", "MODULE_*"),
        ("module_param", "module_param (a parameter is `const volatile int name = value;`)"),
        ("EXPORT_SYMBOL", "EXPORT_SYMBOL"),
        ("BUILD_BUG_ON", "BUILD_BUG_ON"),
        ("__read_mostly", "__read_mostly"),
    ]
    .into_iter()
    .filter(|(mark, _)| has(mark))
    .map(|(_, name)| name)
    .collect();
    steps.push(format!("add char _license[] SEC(\"license\") = \"GPL\"; and leave out {}", leave_out.join(", ")));
    Some(LoadError::KernelModule { location: format!("{}:{}", path.display(), first + 1), steps: steps.join("; ") })
}

/// The program's own first callback in the form that it should have; an example without one.
fn first_callback(text: &str) -> String {
    let example = "BPF_PROG(name, struct sock *sk)".to_owned();
    for line in text.lines() {
        let Some((before, after)) = line.split_once("(struct sock *sk") else { continue };
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
        let Some((arguments, _)) = after.split_once(')') else { continue };
        let returns = before.trim_end_matches(name).trim().trim_start_matches("static ").trim_start_matches("inline ");
        if !name.is_empty() && !returns.is_empty() {
            return format!("{returns} BPF_PROG({name}, struct sock *sk{arguments})");
        }
    }
    example
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "/* mine */\n#include  <linux/module.h>\n#include <net/tcp.h>\n\
        static u32 m_ssthresh(struct sock *sk)\n{ return 2; }\nmodule_init(start);\nMODULE_LICENSE(\"GPL\");\n";

    #[test]
    fn a_module_gets_a_list_of_changes() {
        let error = error_of(Path::new("m.c"), MODULE).expect("is a module").to_string();
        assert!(error.starts_with("m.c:2: is a kernel module"), "{error}");
        for step in
            ["congestion_control.h", "u32 BPF_PROG(m_ssthresh, struct sock *sk)", ".owner", "module_init, MODULE_*"]
        {
            assert!(error.contains(step), "{step}: {error}");
        }
        assert_eq!(error.lines().count(), 1);
    }

    #[test]
    fn programs_are_none() {
        assert!(error_of(Path::new("p.c"), "// module_init(x)\nint x;").is_none());
        assert!(error_of(Path::new("p.c"), "#include <linux/module.h>\nSEC(\"struct_ops\") int x;").is_none());
    }
}
