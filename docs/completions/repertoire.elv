
use builtin;
use str;

set edit:completion:arg-completer[repertoire] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'repertoire'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'repertoire'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand list 'List the skills: who has each id, from where, and where its body goes'
            cand show 'Show everything about one skill'
            cand which 'Tell who has an id, and why every other claim to it lost'
            cand search 'Find skills by words: in their names, triggers, tags and descriptions, the best first'
            cand roots 'Show every place that was looked at, whether it is there and what it holds'
            cand check 'Show everything that is wrong or odd, with the lines that it is about'
            cand validate 'Show everything that is wrong or odd, with the lines that it is about'
            cand watch 'Show changes as they happen, with what is wrong or odd about them'
            cand catalog 'Print the text that tells a model which skills there are; what did not fit goes to standard error'
            cand tools 'Print the tools that a model finds and reads skills with, for the request to a provider'
            cand simulate 'Play a conversation from a file, and print what each call of the model is made of, who decided it, and what was left out and why'
            cand serve 'Serve the skills over MCP: to one client over standard input and output, or to many over HTTP'
            cand mcp 'Print what an MCP client has to be told of this server'
            cand body 'Print the instructions of one skill'
            cand render 'Print the instructions of one skill as a model gets them, with what was typed in its places'
            cand directives 'Show every command and script that one skill would run, without running any'
            cand approve 'Let one skill run its commands and scripts, as they are now: any change asks again'
            cand files 'List the files of one skill, or print one of them'
            cand lock 'Write down what every file of the project''s skills is now, for `verify` to compare'
            cand verify 'Compare every file of the project''s skills with what `lock` wrote down'
            cand new 'Write the beginning of a skill, and print where it is'
            cand fmt 'Bring the front matter of skills into its canonical form'
            cand plugin 'Decide which plugins may run, look at one without running it, or begin one'
            cand kinds 'List the kinds of sources that this program knows'
            cand completions 'Print what a shell needs to complete this program''s arguments'
            cand man 'Print the manual page of this program, or of one of its commands'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'repertoire;list'= {
            cand --functional-tier 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own'
            cand --invoke-level 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --connect 'Allow sources that start a program, load a library or open a connection: without this they are refused'
            cand --all 'Show also what lost its id to another skill, and files that give no skill'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;show'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;which'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;search'= {
            cand --limit 'At most so many skills'
            cand --seen-by 'Among what the model or the user may see, and not among everything'
            cand --tier 'Only skills of this tier'
            cand --from 'Only skills of this source'
            cand --category 'Only skills of this category'
            cand --tag 'Only skills with this tag; several must all be there'
            cand --tool 'Only skills that need, bring or pre-approve this tool'
            cand --mode 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides'
            cand --workflow 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden'
            cand --functional-tier 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own'
            cand --invoke-level 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;roots'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;check'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --connect 'Allow sources that start a program, load a library or open a connection: without this they are refused'
            cand --strict 'Judge as the reference validator of the standard does, and let warnings fail the check'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;validate'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --connect 'Allow sources that start a program, load a library or open a connection: without this they are refused'
            cand --strict 'Judge as the reference validator of the standard does, and let warnings fail the check'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;watch'= {
            cand --changes 'End after so many changes'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;catalog'= {
            cand --preset 'Markup, budget, overflow and locations as this client has them; what else is given goes before it'
            cand --style 'The markup [default: xml]'
            cand --tokens 'At most so many tokens'
            cand --chars 'At most so many characters'
            cand --window 'A share of a context window of so many tokens; of an unknown one, 8000 characters'
            cand --share 'How much of the window, in percent, and never less than 128 tokens [default: 2, or as the client has it]'
            cand --overflow 'What gives way when not everything fits [default: shorten]'
            cand --used 'How often a skill was used, for `--overflow least-used`'
            cand --tokenizer 'Whose tokens are counted'
            cand --activation 'Say first how the model reads a skill: `files` where it has file tools, else the client whose tool it calls'
            cand --hint 'What tells the model how to find skills that were left out [default: what the activation says]'
            cand --mode 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides'
            cand --workflow 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden'
            cand --functional-tier 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own'
            cand --invoke-level 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --locations 'Tell where each skill lies; `--activation files` does, too'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;tools'= {
            cand --provider 'Whose requests they are for'
            cand --preset 'The client whose names and parameters they have'
            cand --with-catalog 'Put a catalog into the description of the tool that reads skills, if you say so of at most so many tokens'
            cand --mode 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides'
            cand --workflow 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden'
            cand --functional-tier 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own'
            cand --invoke-level 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;simulate'= {
            cand --script 'The conversation: turns with what the user says, what the model calls, and what tools answer'
            cand --mode 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides'
            cand --workflow 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden'
            cand --functional-tier 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own'
            cand --invoke-level 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;serve'= {
            cand --http 'Serve over streamable HTTP at this address, as in `127.0.0.1:8321`; the path is `/mcp`'
            cand --faces 'The ways to serve with: `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`'
            cand --name 'What the server calls itself'
            cand --catalog-tokens 'How many tokens the catalog in the instructions may have'
            cand --run-commands 'Run the approved commands of this source for whoever reads its skills by a tool or as a prompt'
            cand --sandbox 'Take from what runs whatever it does not need: files outside of its skill, the network, new rights. On Linux'
            cand --mode 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides'
            cand --workflow 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden'
            cand --functional-tier 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own'
            cand --invoke-level 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one'
            cand --token-file 'Ask clients for the token in this file: `Authorization: Bearer TOKEN`. One is needed off this machine'
            cand --token-env 'Ask clients for the token in this environment variable'
            cand --allow-host 'Also answer requests to this host, with or without a port'
            cand --allow-origin 'Also answer pages of this origin, as in `https://app.example`'
            cand --rate 'Requests of one address in a second; without a limit on this machine, else 100'
            cand --max-sessions 'Sessions at once'
            cand --max-requests 'Requests that are answered at once'
            cand --max-body 'Bytes of one request'
            cand --log 'The form of the log'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --any-client 'Serve every client with all of them, whatever is known of it'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;mcp'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand config 'Print what to paste into the configuration of the client that `--client` names'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'repertoire;mcp;config'= {
            cand --url 'The address of a server that runs, as in `http://127.0.0.1:8321/mcp`'
            cand --token-env 'The environment variable with the token of that server'
            cand --program 'The program that the client starts'
            cand --name 'What the client calls the server'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;mcp;help'= {
            cand config 'Print what to paste into the configuration of the client that `--client` names'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'repertoire;mcp;help;config'= {
        }
        &'repertoire;mcp;help;help'= {
        }
        &'repertoire;body'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;render'= {
            cand --dialect 'How places for arguments are spelled, where neither the source nor the skill says it'
            cand --shell 'What runs commands'
            cand --sandbox 'Take from what runs whatever it does not need: files outside of its skill, the network, new rights. On Linux'
            cand --var 'A variable for `${KEY}`'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --allow-commands 'Run its commands and scripts: those that are approved, and those that you say yes to'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;directives'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;approve'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --yes 'Do not ask. For whoever has read `repertoire directives NAME`'
            cand --revoke 'Take an approval back'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;files'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;lock'= {
            cand --out 'The folder for the lock files; the working folder by default'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --connect 'Allow sources that start a program, load a library or open a connection: without this they are refused'
            cand --check 'Write nothing: the same as `verify`'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;verify'= {
            cand --out 'The folder of the lock files; the working folder by default'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --connect 'Allow sources that start a program, load a library or open a connection: without this they are refused'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;new'= {
            cand --in 'The folder for the skill''s own folder'
            cand --description 'What it does and when to use it'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;fmt'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --check 'Write nothing, and fail if something would be written'
            cand --diff 'As `--check`, and print what would be written as a patch'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;plugin'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand list 'List the plugins that were approved, and whether their files are still what they were'
            cand inspect 'Show what the file of a plugin says of itself, without running any of it'
            cand approve 'Approve what the file of a plugin holds now: configured sources may run it, until it changes'
            cand revoke 'Take the approval of a plugin back'
            cand new 'Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'repertoire;plugin;list'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;plugin;inspect'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;plugin;approve'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;plugin;revoke'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;plugin;new'= {
            cand --in 'The folder for the crate''s own folder'
            cand --checkout 'The checkout of `repertoire` to depend on, as its crates are not released'
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;plugin;help'= {
            cand list 'List the plugins that were approved, and whether their files are still what they were'
            cand inspect 'Show what the file of a plugin says of itself, without running any of it'
            cand approve 'Approve what the file of a plugin holds now: configured sources may run it, until it changes'
            cand revoke 'Take the approval of a plugin back'
            cand new 'Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'repertoire;plugin;help;list'= {
        }
        &'repertoire;plugin;help;inspect'= {
        }
        &'repertoire;plugin;help;approve'= {
        }
        &'repertoire;plugin;help;revoke'= {
        }
        &'repertoire;plugin;help;new'= {
        }
        &'repertoire;plugin;help;help'= {
        }
        &'repertoire;kinds'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;completions'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;man'= {
            cand --root 'A folder of skills, ahead of everything else; several come in the order given'
            cand --source 'A source of any linked kind, behind the roots; options as in a TOML inline table'
            cand --config 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked'
            cand --client 'Also the standard folders of this client, as in `claude`; `all` for every known one'
            cand --disable 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says'
            cand --model 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`'
            cand --format 'The form of the answer'
            cand --no-defaults 'Leave the standard folders and the built-in skills out'
            cand --trust-project 'Admit the skills of the project: without this, no model would see them'
            cand --json 'The same as `--format json`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'repertoire;help'= {
            cand list 'List the skills: who has each id, from where, and where its body goes'
            cand show 'Show everything about one skill'
            cand which 'Tell who has an id, and why every other claim to it lost'
            cand search 'Find skills by words: in their names, triggers, tags and descriptions, the best first'
            cand roots 'Show every place that was looked at, whether it is there and what it holds'
            cand check 'Show everything that is wrong or odd, with the lines that it is about'
            cand watch 'Show changes as they happen, with what is wrong or odd about them'
            cand catalog 'Print the text that tells a model which skills there are; what did not fit goes to standard error'
            cand tools 'Print the tools that a model finds and reads skills with, for the request to a provider'
            cand simulate 'Play a conversation from a file, and print what each call of the model is made of, who decided it, and what was left out and why'
            cand serve 'Serve the skills over MCP: to one client over standard input and output, or to many over HTTP'
            cand mcp 'Print what an MCP client has to be told of this server'
            cand body 'Print the instructions of one skill'
            cand render 'Print the instructions of one skill as a model gets them, with what was typed in its places'
            cand directives 'Show every command and script that one skill would run, without running any'
            cand approve 'Let one skill run its commands and scripts, as they are now: any change asks again'
            cand files 'List the files of one skill, or print one of them'
            cand lock 'Write down what every file of the project''s skills is now, for `verify` to compare'
            cand verify 'Compare every file of the project''s skills with what `lock` wrote down'
            cand new 'Write the beginning of a skill, and print where it is'
            cand fmt 'Bring the front matter of skills into its canonical form'
            cand plugin 'Decide which plugins may run, look at one without running it, or begin one'
            cand kinds 'List the kinds of sources that this program knows'
            cand completions 'Print what a shell needs to complete this program''s arguments'
            cand man 'Print the manual page of this program, or of one of its commands'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'repertoire;help;list'= {
        }
        &'repertoire;help;show'= {
        }
        &'repertoire;help;which'= {
        }
        &'repertoire;help;search'= {
        }
        &'repertoire;help;roots'= {
        }
        &'repertoire;help;check'= {
        }
        &'repertoire;help;watch'= {
        }
        &'repertoire;help;catalog'= {
        }
        &'repertoire;help;tools'= {
        }
        &'repertoire;help;simulate'= {
        }
        &'repertoire;help;serve'= {
        }
        &'repertoire;help;mcp'= {
            cand config 'Print what to paste into the configuration of the client that `--client` names'
        }
        &'repertoire;help;mcp;config'= {
        }
        &'repertoire;help;body'= {
        }
        &'repertoire;help;render'= {
        }
        &'repertoire;help;directives'= {
        }
        &'repertoire;help;approve'= {
        }
        &'repertoire;help;files'= {
        }
        &'repertoire;help;lock'= {
        }
        &'repertoire;help;verify'= {
        }
        &'repertoire;help;new'= {
        }
        &'repertoire;help;fmt'= {
        }
        &'repertoire;help;plugin'= {
            cand list 'List the plugins that were approved, and whether their files are still what they were'
            cand inspect 'Show what the file of a plugin says of itself, without running any of it'
            cand approve 'Approve what the file of a plugin holds now: configured sources may run it, until it changes'
            cand revoke 'Take the approval of a plugin back'
            cand new 'Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass'
        }
        &'repertoire;help;plugin;list'= {
        }
        &'repertoire;help;plugin;inspect'= {
        }
        &'repertoire;help;plugin;approve'= {
        }
        &'repertoire;help;plugin;revoke'= {
        }
        &'repertoire;help;plugin;new'= {
        }
        &'repertoire;help;kinds'= {
        }
        &'repertoire;help;completions'= {
        }
        &'repertoire;help;man'= {
        }
        &'repertoire;help;help'= {
        }
    ]
    $completions[$command]
}
