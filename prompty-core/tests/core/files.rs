//! What is read of a file system, and what is not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use prompty_core::files::{ReadError, Roots, Within, list_folder, read_text};

/// A folder with `inside/` and `outside/`; gone when the test ends.
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

    /// Reads a file that must lie inside.
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
fn a_folder_is_no_file_and_what_is_missing_is_said_to_be() {
    let folder = Folder::new();
    assert!(matches!(read(&folder.path("inside")), Err(ReadError::Folder)));
    assert!(read(&folder.path("none")).unwrap_err().is_missing());
}

#[test]
fn within_roots_what_is_outside_looks_like_what_is_missing() {
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
fn a_folder_with_too_many_entries_is_refused_before_they_are_read() {
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
    fn neither_a_pipe_nor_a_device_is_read() {
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
    fn a_file_of_gigabytes_is_refused_by_its_length() {
        let folder = Folder::new();
        let path = folder.path("inside/huge.txt");
        fs::File::create(&path).unwrap().set_len(10 << 30).unwrap();
        assert!(matches!(read(&path), Err(ReadError::TooLong(100))));
    }

    #[test]
    fn a_link_may_lead_inside_and_never_outside() {
        let folder = Folder::new();
        symlink(folder.path("outside"), folder.path("inside/link")).unwrap();
        symlink(folder.path("inside/fine.txt"), folder.path("outside/back.txt")).unwrap();
        assert_eq!(folder.read("outside/back.txt").unwrap(), "fine");
        for path in ["inside/link/secret.txt", "inside/link/none.txt", "inside/link"] {
            assert!(matches!(folder.read(path), Err(ReadError::OutsideOrMissing)), "{path}");
        }
    }

    /// A link is changed all the time while files are read through it.
    #[test]
    fn a_link_that_changes_behind_the_check_leads_nowhere() {
        static IS_OVER: AtomicBool = AtomicBool::new(false);
        let folder = Folder::new();
        fs::write(folder.path("inside/secret.txt"), "fine").unwrap();
        let [link, next] = ["inside/link", "inside/next"].map(|path| folder.path(path));
        let targets = ["inside", "outside"].map(|path| folder.path(path));
        symlink(&targets[0], &link).unwrap();
        let changing = std::thread::spawn(move || {
            for target in targets.iter().cycle() {
                symlink(target, &next).unwrap();
                fs::rename(&next, &link).unwrap();
                if IS_OVER.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        let read: Vec<_> = (0..5_000).map(|_| folder.read("inside/link/secret.txt")).collect();
        IS_OVER.store(true, Ordering::Relaxed);
        changing.join().unwrap();
        for text in read {
            match text {
                Ok(text) => assert_eq!(text, "fine"),
                Err(error) => assert!(matches!(error, ReadError::OutsideOrMissing)),
            }
        }
    }
}
