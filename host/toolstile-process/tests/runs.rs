//! Real programs: how they end, what they may reach, and that nothing is left of them.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolstile_process::{Command, Ending, Output, RunError, Sandbox, find_program, run, support};

/// A shell line, in a directory, with one second of time.
fn line(directory: &Path, text: &str) -> Command {
    let path = ["/usr/bin".into(), "/bin".into()];
    Command {
        program: find_program("sh", &path).unwrap().expect("a shell"),
        words: ["sh", "-c", text].map(str::to_owned).to_vec(),
        directory: directory.to_owned(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        deadline: Instant::now() + Duration::from_secs(1),
        max_output_bytes: 1000,
        sandbox: Sandbox::default(),
    }
}

fn place() -> TempDir {
    TempDir::new().expect("a directory")
}

async fn output(text: &str) -> Output {
    run(line(place().path(), text)).await.expect("it runs")
}

#[tokio::test]
async fn every_ending_is_told_apart() {
    for (text, ending, stdout, stderr) in [
        ("exit 3", Ending::Exited(3), "", ""),
        ("echo out; echo err >&2", Ending::Exited(0), "out\n", "err\n"),
        ("echo before; kill -TERM $$", Ending::Signalled(15), "before\n", ""),
        ("echo before; sleep 60; echo after", Ending::TimedOut, "before\n", ""),
        ("cat", Ending::Exited(0), "", ""),
        ("echo here; sleep 60 &", Ending::Exited(0), "here\n", ""),
    ] {
        let started = Instant::now();
        let found = output(text).await;
        let (out, err) = (String::from_utf8(found.stdout), String::from_utf8(found.stderr));
        let found = (found.ending, out.unwrap(), err.unwrap(), found.truncated);
        assert_eq!(found, (ending, stdout.into(), stderr.into(), false), "{text}");
        assert!(started.elapsed() < Duration::from_secs(5), "{text}");
    }
}

#[tokio::test]
async fn endless_output_is_cut_and_ended() {
    let found = output("yes").await;
    assert_eq!(
        (found.ending, found.stdout.len(), found.truncated),
        (Ending::OutputLimit, 1000, true)
    );
}

#[tokio::test]
async fn the_environment_is_what_was_given() {
    let found = output("env").await;
    let text = String::from_utf8(found.stdout).unwrap();
    let mut names: Vec<&str> = text.lines().filter_map(|l| Some(l.split_once('=')?.0)).collect();
    names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name));
    names.sort_unstable();
    assert_eq!(names, ["PATH", "TOOLSTILE_RUN"]);
}

#[tokio::test]
async fn what_cannot_be_run_says_so_without_a_path() {
    let place = place();
    let good = line(place.path(), "true");
    let none = Command { words: Vec::new(), ..good.clone() };
    assert!(matches!(run(none).await, Err(RunError::NoWords)));
    let nul = Command { words: vec!["sh".into(), "a\0b".into()], ..good.clone() };
    assert!(matches!(run(nul).await, Err(RunError::Nul(2))));
    let absent = Command { program: "/no/such/program".into(), ..good };
    let error = run(absent).await.unwrap_err();
    assert!(matches!(error, RunError::Start { .. }));
    assert!(!error.to_string().contains('/'), "{error}");
}

#[tokio::test]
async fn files_outside_are_out_of_reach_and_nothing_is_written() {
    if !support().files() {
        return skipped("this kernel has no Landlock");
    }
    let (inside, outside) = (place(), place());
    fs::write(inside.path().join("a"), "in").unwrap();
    fs::write(outside.path().join("b"), "CANARY").unwrap();
    let b = outside.path().join("b");
    let text = format!("cat a; cat {}; echo x > a; echo x > new; rm a; ./run", b.display());
    fs::write(inside.path().join("run"), "#!/bin/sh\necho RAN\n").unwrap();
    make_executable(&inside.path().join("run"));
    let found = run(line(inside.path(), &text)).await.unwrap();
    assert_eq!(found.stdout, b"in", "{}", String::from_utf8_lossy(&found.stderr));
    assert_eq!(fs::read(inside.path().join("a")).unwrap(), b"in");
    let names = fs::read_dir(inside.path()).unwrap().count();
    assert_eq!(names, 2);
    // What is granted works.
    let mut granted = line(inside.path(), &text);
    granted.sandbox.read = vec![outside.path().to_owned()];
    granted.sandbox.write = vec![inside.path().to_owned()];
    let found = run(granted).await.unwrap();
    assert_eq!(found.stdout, b"inCANARYRAN\n", "{}", String::from_utf8_lossy(&found.stderr));
    assert!(inside.path().join("new").exists() && !inside.path().join("a").exists());
    // This process is as free as before.
    fs::write(outside.path().join("c"), "x").unwrap();
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn other_processes_keep_their_environment_to_themselves() {
    if !support().files() {
        return skipped("this kernel has no Landlock");
    }
    let own = std::process::id();
    let found = output(&format!("cat /proc/{own}/environ /proc/{own}/maps; echo code=$?")).await;
    assert_eq!(found.stdout, b"code=1\n", "{}", String::from_utf8_lossy(&found.stderr));
}

#[tokio::test]
async fn sockets_are_out_of_reach() {
    let path = ["/usr/bin".into(), "/bin".into(), "/usr/local/bin".into()];
    let Some(python) = find_program("python3", &path).unwrap() else {
        return skipped("there is no python3 to open sockets with");
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let code = format!(
        "import socket\n\
         for make in (lambda: socket.create_connection(('127.0.0.1', {port})),\n\
                      lambda: socket.socket(socket.AF_UNIX), lambda: socket.socket(socket.AF_INET6)):\n\
         \ttry: make(); print('open')\n\
         \texcept OSError as e: print('refused')\n"
    );
    let place = place();
    let mut command = Command {
        program: python.clone(),
        words: vec!["python3".into(), "-c".into(), code],
        ..line(place.path(), "")
    };
    command.deadline += Duration::from_secs(10);
    command.sandbox.read = vec![PathBuf::from("/")];
    let open = Command {
        sandbox: Sandbox { network: true, ..command.sandbox.clone() },
        ..command.clone()
    };
    let text = |output: Output| String::from_utf8(output.stdout).unwrap();
    assert!(text(run(open).await.unwrap()).starts_with("open\n"));
    if support().network() {
        assert_eq!(text(run(command).await.unwrap()), "refused\nrefused\nrefused\n");
    }
}

/// Numbers of processes whose working directory is this one.
fn processes_in(directory: &Path) -> Vec<String> {
    let inside = |path: &PathBuf| fs::read_link(path.join("cwd")).is_ok_and(|d| d == directory);
    let paths = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(inside).map(|path| path.display().to_string()).collect()
}

#[tokio::test]
async fn nothing_that_was_started_goes_on() {
    let place = place();
    for text in [
        "sleep 60 & sleep 60 & wait",
        "(sleep 60 &) ; (setsid sleep 60 &) ; sleep 60",
        "set -m; sleep 60 & sleep 60 & sleep 60",
        "setsid sh -c 'sleep 60 & sleep 60' & exit 0",
        "trap '' TERM HUP INT; nohup sleep 60 & sleep 60",
    ] {
        run(line(place.path(), text)).await.unwrap();
        assert!(gone(place.path()).await, "{text}: {:?}", processes_in(place.path()));
    }
}

#[tokio::test]
async fn dropping_the_future_ends_everything() {
    let place = place();
    for milliseconds in [0, 1, 5, 100] {
        let mut command = line(place.path(), "sleep 60 & sleep 60");
        command.deadline += Duration::from_secs(60);
        let running = tokio::time::timeout(Duration::from_millis(milliseconds), run(command));
        assert!(running.await.is_err());
        assert!(gone(place.path()).await, "{:?}", processes_in(place.path()));
    }
}

async fn gone(directory: &Path) -> bool {
    for _ in 0..50 {
        if processes_in(directory).is_empty() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_runs_leave_no_zombie_and_no_open_file() {
    let place = place();
    let texts = ["exit 0", "echo x; exit 1", "yes", "sleep 1 & exit 0", "kill -9 $$"];
    let start = |number: usize| {
        let command = line(place.path(), texts[number % texts.len()]);
        tokio::spawn(run(command))
    };
    for task in (0..5).map(start).collect::<Vec<_>>() {
        task.await.unwrap().unwrap();
    }
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    for batch in 0..13 {
        let tasks: Vec<_> = (0..16).map(|number| start(batch * 16 + number)).collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
    }
    assert!(gone(place.path()).await);
    // Other tests of this binary run at the same time: what they have open goes away.
    for _ in 0..100 {
        if open() <= before && zombies() == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(open() <= before, "{before} before, {} after", open());
    assert_eq!(zombies(), 0);
}

fn zombies() -> usize {
    let ours = std::process::id().to_string();
    let is_zombie = |path: PathBuf| {
        let stat = fs::read_to_string(path.join("stat")).unwrap_or_default();
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        fields.next() == Some("Z") && fields.next() == Some(&ours)
    };
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| is_zombie(p.clone()))
        .count()
}

#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn skipped(why: &str) {
    println!("skipped: {why}");
}
