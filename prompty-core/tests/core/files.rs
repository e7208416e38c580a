//! Reading files: which are read, and which are rejected.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use prompty_core::files::{ReadError, Roots, Within, list_folder, read_text};

/// A folder with `inside/` and `outside/`, which is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("prompty-read-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("inside")).unwrap();
        fs::create_dir_all(folder.join("outside")).unwrap();
        fs::write(folder.join("outside/secret.txt"), "secret").unwrap();
        fs::write(folder.join("inside/fine.txt"), "fine").unwrap();
        Self(folder)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// Reads a file that must be inside.
    fn read(&self, path: &str) -> Result<String, ReadError> {
        read_text(&self.path(path), Within::Roots(&Roots::new([self.path("inside")])), 100)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(path: &Path) -> Result<String, ReadError> {
    read_text(path, Within::AnyFolder, 100)
}

#[test]
fn a_regular_file_is_read_up_to_its_limit() {
    let folder = Folder::new();
    let path = folder.path("inside/long.txt");
    fs::write(&path, "x".repeat(100)).unwrap();
    assert_eq!(read(&path).unwrap().len(), 100);
    fs::write(&path, "x".repeat(101)).unwrap();
    assert!(matches!(read(&path), Err(ReadError::TooLong(100))));
    fs::write(&path, [0xff]).unwrap();
    assert!(matches!(read(&path), Err(ReadError::NotText)));
}

#[test]
fn a_folder_is_not_a_file_and_a_missing_file_is_reported_as_missing() {
    let folder = Folder::new();
    assert!(matches!(read(&folder.path("inside")), Err(ReadError::Folder)));
    assert!(read(&folder.path("none")).unwrap_err().is_missing());
}

#[test]
fn within_roots_an_outside_file_looks_like_a_missing_one() {
    let folder = Folder::new();
    assert_eq!(folder.read("inside/fine.txt").unwrap(), "fine");
    assert_eq!(folder.read("inside/../inside/fine.txt").unwrap(), "fine");
    for path in
        ["outside/secret.txt", "outside", "outside/none", "inside/none", "inside/fine.txt/x"]
    {
        assert!(matches!(folder.read(path), Err(ReadError::OutsideOrMissing)), "{path}");
    }
}

#[test]
fn a_folder_with_too_many_entries_is_rejected() {
    let folder = Folder::new();
    for number in 0..10 {
        fs::write(folder.path("inside").join(number.to_string()), "").unwrap();
    }
    assert_eq!(list_folder(&folder.path("inside"), 11).unwrap().len(), 11);
    assert!(matches!(list_folder(&folder.path("inside"), 10), Err(ReadError::TooManyEntries(10))));
}

#[cfg(unix)]
mod unix {
    use super::{Folder, ReadError, read};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn pipes_and_devices_are_not_read() {
        let folder = Folder::new();
        let pipe = folder.path("inside/pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert!(matches!(read(path), Err(ReadError::NotRegular)));
        }
        symlink("/dev/zero", folder.path("inside/zero")).unwrap();
        for path in ["inside/pipe", "inside/zero"] {
            assert!(matches!(folder.read(path), Err(ReadError::OutsideOrMissing)));
        }
    }

    #[test]
    fn a_huge_file_is_rejected_by_its_length() {
        let folder = Folder::new();
        let path = folder.path("inside/huge.txt");
        fs::File::create(&path).unwrap().set_len(10 << 30).unwrap();
        assert!(matches!(read(&path), Err(ReadError::TooLong(100))));
    }

    #[test]
    fn a_link_may_lead_inside_but_not_outside() {
        let folder = Folder::new();
        symlink(folder.path("outside"), folder.path("inside/link")).unwrap();
        symlink(folder.path("inside/fine.txt"), folder.path("outside/back.txt")).unwrap();
        assert_eq!(folder.read("outside/back.txt").unwrap(), "fine");
        for path in ["inside/link/secret.txt", "inside/link/none.txt", "inside/link"] {
            assert!(matches!(folder.read(path), Err(ReadError::OutsideOrMissing)), "{path}");
        }
    }

    /// A link is changed continuously while files are read through it.
    #[test]
    fn a_link_that_changes_after_the_check_has_no_effect() {
        static IS_FINISHED: AtomicBool = AtomicBool::new(false);
        let folder = Folder::new();
        fs::write(folder.path("inside/secret.txt"), "fine").unwrap();
        let [link, next] = ["inside/link", "inside/next"].map(|path| folder.path(path));
        let targets = ["inside", "outside"].map(|path| folder.path(path));
        symlink(&targets[0], &link).unwrap();
        let changing = std::thread::spawn(move || {
            for target in targets.iter().cycle() {
                symlink(target, &next).unwrap();
                fs::rename(&next, &link).unwrap();
                if IS_FINISHED.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        let read: Vec<_> = (0..5_000).map(|_| folder.read("inside/link/secret.txt")).collect();
        IS_FINISHED.store(true, Ordering::Relaxed);
        changing.join().unwrap();
        for text in read {
            match text {
                Ok(text) => assert_eq!(text, "fine"),
                Err(error) => assert!(matches!(error, ReadError::OutsideOrMissing)),
            }
        }
    }
}
