//! Revisions of small repositories made for the test.

use super::*;

fn run(folder: &Path, arguments: &[&str]) {
    let mut command = git(folder);
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false"]);
    let done = output(command.args(arguments)).unwrap();
    assert!(done.is_ok(), "git {arguments:?}: {done:?}");
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    super::super::disk::replace(&path, text.as_bytes()).unwrap();
}

#[test]
fn a_revision_is_read_whatever_the_work_tree_holds() {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path();
    run(root, &["init", "-q", "-b", "main"]);
    for below in ["", "part/"] {
        write(root, &format!("{below}catalogue/rules/a.v1.yaml"), &format!("id: {below}a.v1\n"));
        write(root, &format!("{below}fixtures/g/matched.json"), "{}\n");
        write(root, &format!("{below}fixtures/.hidden.json"), "{}");
        write(root, &format!("{below}matrix.yaml"), "agents: []\n");
    }
    run(root, &["add", "-A"]);
    run(root, &["commit", "-q", "-m", "one"]);
    write(root, "catalogue/rules/a.v1.yaml", "changed");
    std::fs::remove_dir_all(root.join("fixtures")).unwrap();

    for (folder, expected) in [(root.to_owned(), "id: a.v1\n"), (root.join("part"), "id: part/a.v1\n")] {
        for revision in ["HEAD", "main", "HEAD~0"] {
            let tree = tree(&folder, revision).unwrap();
            let Part::Files(rules) = &tree.rules else { panic!("{folder:?}: embedded rules") };
            let found: Vec<_> = rules.iter().map(|file| (file.path.as_str(), file.text().unwrap())).collect();
            assert_eq!(found, [("catalogue/rules/a.v1.yaml", expected)], "{folder:?} {revision}");
            let fixtures: Vec<_> = tree.fixtures.iter().map(|file| file.path.as_str()).collect();
            assert_eq!(fixtures, ["fixtures/g/matched.json"], "{folder:?} {revision}");
            assert_eq!(tree.matrix.bytes, b"agents: []\n");
        }
    }
    assert_eq!(super::super::disk::read(&root.join("catalogue/rules/a.v1.yaml")).unwrap(), b"changed");
}

#[test]
fn what_can_not_be_read_says_why() {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path();
    let mut wrong = Vec::new();
    let mut expect = |revision: &str, words: &str| match tree(root, revision) {
        Err(error) if error.to_string().contains(words) => {}
        other => wrong.push(format!("{revision}: expected {words:?}, got {other:?}")),
    };
    expect("HEAD", "no git repository");
    run(root, &["init", "-q", "-b", "main"]);
    write(root, "README", "x");
    run(root, &["add", "-A"]);
    run(root, &["commit", "-q", "-m", "one"]);
    expect("HEAD", "catalogue/, fixtures/ or matrix.yaml");
    expect("no-such-branch", "find the revision `no-such-branch`");
    expect("--output=x", "does not begin with `-`");
    expect("", "find the revision");
    #[cfg(unix)]
    {
        std::fs::create_dir_all(root.join("fixtures")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", root.join("fixtures/a.json")).unwrap();
        run(root, &["add", "-A"]);
        run(root, &["commit", "-q", "-m", "two"]);
        expect("HEAD", "no regular file");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
