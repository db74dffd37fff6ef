//! What the programs that change files change, by their arguments.

use super::{Simple, Walk, scan};
use crate::core::guard::code;
use crate::core::guard::target::Target;

/// Whether the first word of `tar` asks to unpack: letters, with or without a dash.
fn unpacks(word: &str) -> bool {
    !word.starts_with("--") && word.trim_start_matches('-').chars().all(char::is_alphabetic) && word.contains('x')
}

impl Walk<'_> {
    /// Takes a command in. Its words, for what it may feed; `fed` are those of the command that feeds this one.
    pub(super) fn command(&mut self, command: Simple, fed: &[String]) -> Vec<String> {
        for word in &command.into {
            self.written |= word != super::NOWHERE;
            self.at(word);
        }
        self.words(&command.words, &command.input, fed);
        command.words
    }

    fn words(&mut self, words: &[String], input: &str, fed: &[String]) {
        let Some((program, args)) = self.program(words) else { return };
        // Under another path, with variables of its own, or to start something else it is another program.
        let ours = words.first().is_some_and(|word| word == super::OURS);
        let starts = args.iter().any(|arg| matches!(arg.as_str(), "run" | "hook" | "try"));
        let other = program == super::OURS && (!ours || starts);
        self.programs.push(if other { super::UNKNOWN.to_string() } else { program.to_owned() });
        match program {
            "cd" | "pushd" => {
                let to = args.iter().find(|a| !a.starts_with('-') || *a == "-").cloned().or_else(|| self.var("HOME"));
                self.here = to.filter(|word| word != "-").and_then(|word| self.path(&word));
            }
            "popd" => self.here = None,
            "export" | "local" | "declare" | "typeset" | "readonly" => args.iter().for_each(|arg| self.assign(arg)),
            "for" => {
                if let [name, _, list @ ..] = args {
                    // It is each of them in turn; one stands for all, rather a path than a name.
                    if let Some(word) = list.iter().find(|w| w.contains('/')).or(list.first()) {
                        self.set(name, word);
                    }
                }
            }
            "rm" => {
                let whole = args.iter().any(|a| a == "--recursive" || has_flag(a, &['r', 'R']));
                plain(args).for_each(|word| if whole { self.tree(word) } else { self.at(word) });
            }
            "mv" => {
                let words: Vec<_> = plain(args).collect();
                words.split_last().map_or(&[][..], |(_, moved)| moved).iter().for_each(|word| self.tree(word));
                self.last(args);
            }
            "rmdir" | "unlink" | "shred" | "truncate" | "touch" | "tee" | "sponge" | "mkdir" | "chmod" | "chown"
            | "chgrp" | "ed" | "ex" | "patch" => plain(args).for_each(|word| self.at(word)),
            "cp" | "install" | "ln" | "rsync" | "scp" => self.last(args),
            "dd" => args.iter().filter_map(|a| a.strip_prefix("of=")).for_each(|word| self.at(word)),
            "curl" | "wget" => self.output(args),
            // Unpacked into this folder; packing reads.
            "tar" | "bsdtar" if args.first().is_some_and(|a| a == "--extract" || a == "-x" || unpacks(a)) => {
                if let Some(folder) = after(args, |a| a == "-C" || a == "--directory") {
                    self.at(folder);
                }
            }
            "unzip" => {
                if let Some(folder) = after(args, |a| a == "-d") {
                    self.at(folder);
                }
            }
            "sed" if args.iter().any(|a| a.starts_with("--in-place") || has_flag(a, &['i'])) => {
                plain(args).for_each(|word| self.at(word));
            }
            "find" => self.find(args),
            "xargs" => self.xargs(args, fed),
            "eval" => self.line(&args.join(" ")),
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" => match after(args, |a| has_flag(a, &['c'])) {
                Some(code) => self.apart(code),
                None if args.iter().all(|a| a.starts_with('-')) => self.apart(input),
                None => {}
            },
            _ => self.interpreter(program, args, input),
        }
    }

    /// The program of a command by its bare name, and its arguments: without assignments, words of the shell's own language
    /// and programs that only start another one.
    fn program<'w>(&mut self, mut words: &'w [String]) -> Option<(&'w str, &'w [String])> {
        loop {
            let (first, rest) = words.split_first()?;
            let name = first.rsplit('/').next().unwrap_or(first);
            // Options of these that have a value behind them.
            let valued: &[&str] = match name {
                _ if first.split_once('=').is_some_and(|(name, _)| scan::is_name(name)) => {
                    self.assign(first);
                    words = rest;
                    continue;
                }
                "if" | "then" | "elif" | "else" | "do" | "while" | "until" | "!" | "{" | "}" | "time" | "command"
                | "builtin" | "exec" | "nohup" | "busybox" | "setsid" | "stdbuf" => &[],
                "sudo" | "doas" => &["-u", "-g"],
                "env" => &["-u", "-C"],
                "nice" | "ionice" => &["-n", "-c"],
                "timeout" => &["-s", "-k"],
                _ => return Some((name, rest)),
            };
            words = rest;
            while let Some((option, more)) = words.split_first().filter(|(word, _)| word.starts_with('-')) {
                words = if valued.contains(&option.as_str()) { more.get(1..).unwrap_or_default() } else { more };
            }
            if name == "timeout" {
                words = words.get(1..).unwrap_or_default();
            }
        }
    }

    fn assign(&mut self, word: &str) {
        if let Some((name, value)) = word.split_once('=').filter(|(name, _)| scan::is_name(name)) {
            self.set(name, value);
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        self.vars.retain(|(known, _)| known != name);
        let value = if value.len() > super::LONG.0 { &super::UNKNOWN.to_string() } else { value };
        if self.vars.len() < super::MANY {
            self.vars.push((name.to_owned(), value.to_owned()));
        }
    }

    /// What is copied to: the folder of `-t`, else the last of several arguments.
    fn last(&mut self, args: &[String]) {
        let long = args.iter().find_map(|a| a.strip_prefix("--target-directory=").map(str::to_owned));
        if let Some(folder) = long.or_else(|| after(args, |a| a == "-t").cloned()) {
            self.at(&folder);
        } else if let [_, .., last] = plain(args).collect::<Vec<_>>().as_slice() {
            self.at(last);
        }
    }

    /// What a download is written to.
    fn output(&mut self, args: &[String]) {
        let named = |a: &str| matches!(a, "-o" | "-O" | "--output" | "--output-document");
        let words = args.windows(2).filter_map(|pair| if let [a, b] = pair { named(a).then_some(b) } else { None });
        words.for_each(|word| self.at(word));
    }

    /// `find PLACES... -delete`, and what `-exec` starts, with the places for what is found.
    fn find(&mut self, args: &[String]) {
        let first = args.iter().position(|a| !matches!(a.as_str(), "-H" | "-L" | "-P")).unwrap_or_default();
        let args = args.get(first..).unwrap_or_default();
        let places = args.iter().take_while(|a| !a.starts_with(['-', '(', '!']));
        for place in places.take(super::MANY) {
            if args.iter().any(|a| a == "-delete") {
                self.at(place);
            }
            for (at, _) in
                args.iter().enumerate().filter(|(_, a)| matches!(a.as_str(), "-exec" | "-execdir" | "-ok")).take(4)
            {
                let started = args.get(at + 1..).unwrap_or_default();
                let words: Vec<String> =
                    started.iter().take_while(|a| *a != ";" && *a != "+").map(|a| a.replace("{}", place)).collect();
                self.nested(&words);
            }
        }
    }

    /// `xargs PROGRAM` with what a command prints that lists names.
    fn xargs(&mut self, args: &[String], fed: &[String]) {
        let Some((from, named)) = fed.split_first() else { return };
        if !matches!(from.rsplit('/').next(), Some("find" | "fd" | "ls" | "echo" | "printf")) {
            return;
        }
        let mut rest = args;
        while let Some((option, more)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
            let valued = matches!(option.as_str(), "-I" | "-n" | "-P" | "-L" | "-d" | "-s");
            rest = if valued { more.get(1..).unwrap_or_default() } else { more };
        }
        let names = plain(named).filter(|word| word.contains('/')).cloned();
        let words: Vec<String> = rest.iter().cloned().chain(names).collect();
        self.nested(&words);
    }

    fn nested(&mut self, words: &[String]) {
        if self.depth < super::DEPTH && self.within > 0 {
            self.within -= 1;
            self.depth += 1;
            self.words(words, "", &[]);
            self.depth -= 1;
        }
    }

    /// A program that runs code it is given on the command line or on standard input.
    fn interpreter(&mut self, program: &str, args: &[String], input: &str) {
        let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let flags: &[char] = match bare {
            "python" | "pypy" => &['c'],
            "node" | "deno" | "bun" => &['e', 'p'],
            "perl" | "ruby" | "lua" => &['e', 'E'],
            "php" => &['r'],
            _ => return,
        };
        if matches!(bare, "perl" | "ruby") && args.iter().any(|a| has_flag(a, &['i'])) {
            plain(args).for_each(|word| self.at(word));
        }
        let given = after(args, |a| matches!(a, "--eval" | "--print" | "eval") || has_flag(a, flags));
        let code = given.map_or(input, String::as_str);
        if code::writes(code) {
            // What the words around it name belongs to it: the file may be an argument, or a variable of this command.
            let named: Vec<&str> = args.iter().map(String::as_str).filter(|a| *a != code).collect();
            self.targets.push(Target::Code(format!("{code}\n{}", named.join("\n"))));
        }
    }
}

/// The arguments that are no options.
fn plain(args: &[String]) -> impl Iterator<Item = &String> {
    let mut only_names = false;
    args.iter().filter(move |arg| {
        let end = !only_names && *arg == "--";
        only_names |= end;
        !end && (only_names || !arg.starts_with('-'))
    })
}

/// Whether an argument is a bundle of short options with one of these. Some programs have options with a word behind the
/// letter, which is no bundle.
fn has_flag(arg: &str, flags: &[char]) -> bool {
    let Some(bundle) = arg.strip_prefix('-').filter(|b| !b.starts_with(['-', 'M', 'I', 'm'])) else { return false };
    bundle.chars().take_while(char::is_ascii_alphabetic).any(|c| flags.contains(&c))
}

/// The argument behind the first that is meant.
fn after(args: &[String], meant: impl Fn(&str) -> bool) -> Option<&String> {
    let at = args.iter().position(|arg| meant(arg))?;
    args.get(at + 1)
}
