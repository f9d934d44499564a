//! Writes what is made of the declarations of the kernel's structures: `make headers`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, text) in fairlane_congestion_control::headers::files() {
        let file = repository.join(path);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // A file that does not change keeps its time, so that nothing is built again.
        if std::fs::read_to_string(&file).ok().as_ref() != Some(&text) {
            std::fs::write(&file, text)?;
            println!("{path}");
        }
    }
    Ok(())
}
