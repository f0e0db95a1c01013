# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_repertoire_global_optspecs
    string join \n root= source= config= client= no-defaults disable= trust-project model= format= json h/help V/version
end

function __fish_repertoire_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_repertoire_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_repertoire_using_subcommand
    set -l cmd (__fish_repertoire_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c repertoire -n "__fish_repertoire_needs_command" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_needs_command" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_needs_command" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_needs_command" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_needs_command" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_needs_command" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_needs_command" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_needs_command" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_needs_command" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_needs_command" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_needs_command" -s V -l version -d 'Print version'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "list" -d 'List the skills: who has each id, from where, and where its body goes'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "show" -d 'Show everything about one skill'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "which" -d 'Tell who has an id, and why every other claim to it lost'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "search" -d 'Find skills by words: in their names, triggers, tags and descriptions, the best first'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "roots" -d 'Show every place that was looked at, whether it is there and what it holds'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "check" -d 'Show everything that is wrong or odd, with the lines that it is about'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "validate" -d 'Show everything that is wrong or odd, with the lines that it is about'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "watch" -d 'Show changes as they happen, with what is wrong or odd about them'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "catalog" -d 'Print the text that tells a model which skills there are; what did not fit goes to standard error'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "tools" -d 'Print the tools that a model finds and reads skills with, for the request to a provider'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "simulate" -d 'Play a conversation from a file, and print what each call of the model is made of, who decided it, and what was left out and why'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "serve" -d 'Serve the skills over MCP: to one client over standard input and output, or to many over HTTP'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "mcp" -d 'Print what an MCP client has to be told of this server'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "body" -d 'Print the instructions of one skill'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "render" -d 'Print the instructions of one skill as a model gets them, with what was typed in its places'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "directives" -d 'Show every command and script that one skill would run, without running any'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "approve" -d 'Let one skill run its commands and scripts, as they are now: any change asks again'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "files" -d 'List the files of one skill, or print one of them'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "lock" -d 'Write down what every file of the project\'s skills is now, for `verify` to compare'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "verify" -d 'Compare every file of the project\'s skills with what `lock` wrote down'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "new" -d 'Write the beginning of a skill, and print where it is'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "fmt" -d 'Bring the front matter of skills into its canonical form'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "plugin" -d 'Decide which plugins may run, look at one without running it, or begin one'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "kinds" -d 'List the kinds of sources that this program knows'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "completions" -d 'Print what a shell needs to complete this program\'s arguments'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "man" -d 'Print the manual page of this program, or of one of its commands'
complete -c repertoire -n "__fish_repertoire_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l functional-tier -d 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l invoke-level -d 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l connect -d 'Allow sources that start a program, load a library or open a connection: without this they are refused'
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l all -d 'Show also what lost its id to another skill, and files that give no skill'
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand which" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l limit -d 'At most so many skills' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l seen-by -d 'Among what the model or the user may see, and not among everything' -r -f -a "model\t'What reaches a model'
user\t'What a user may call'"
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l tier -d 'Only skills of this tier' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l from -d 'Only skills of this source' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l category -d 'Only skills of this category' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l tag -d 'Only skills with this tag; several must all be there' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l tool -d 'Only skills that need, bring or pre-approve this tool' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l mode -d 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l workflow -d 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l functional-tier -d 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l invoke-level -d 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand roots" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l connect -d 'Allow sources that start a program, load a library or open a connection: without this they are refused'
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l strict -d 'Judge as the reference validator of the standard does, and let warnings fail the check'
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l connect -d 'Allow sources that start a program, load a library or open a connection: without this they are refused'
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l strict -d 'Judge as the reference validator of the standard does, and let warnings fail the check'
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l changes -d 'End after so many changes' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l preset -d 'Markup, budget, overflow and locations as this client has them; what else is given goes before it' -r -f -a "agentskills\t''
claude\t''
codex\t''
gemini\t''
goose\t''
openclaw\t''
opencode\t''"
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l style -d 'The markup [default: xml]' -r -f -a "xml\t'`<available_skills>`, a skill a line'
indented\t'The same elements, each on a line of its own'
reference\t'As the reference library of the standard'
bullets\t'A Markdown list'
lines\t'The list without marks'
json\t'JSON, a skill a line'"
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l tokens -d 'At most so many tokens' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l chars -d 'At most so many characters' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l window -d 'A share of a context window of so many tokens; of an unknown one, 8000 characters' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l share -d 'How much of the window, in percent, and never less than 128 tokens [default: 2, or as the client has it]' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l overflow -d 'What gives way when not everything fits [default: shorten]' -r -f -a "shorten\t'Long descriptions first, cut where a clause ends; names last'
round-robin\t'The same, cut where a word ends'
name-only\t'Descriptions, whole ones at a time'
least-used\t'The same, those first that were used least'
leave-out\t'Skills, whole ones at a time'"
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l used -d 'How often a skill was used, for `--overflow least-used`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l tokenizer -d 'Whose tokens are counted' -r -f -a "claude-2023\t'Anthropic\'s last published one; the highest estimate, so safe for every model'
o200k\t'OpenAI\'s since GPT-4o'
llama3\t'Llama 3\'s'"
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l activation -d 'Say first how the model reads a skill: `files` where it has file tools, else the client whose tool it calls' -r -f -a "files\t''
repertoire\t''
agentfootprint\t''
cortex\t''
find-skills\t''
gemini-cli\t''
opencode\t''
goose\t''
agent-framework\t''"
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l hint -d 'What tells the model how to find skills that were left out [default: what the activation says]' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l mode -d 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l workflow -d 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l functional-tier -d 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l invoke-level -d 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l locations -d 'Tell where each skill lies; `--activation files` does, too'
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand catalog" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l provider -d 'Whose requests they are for' -r -f -a "anthropic\t'Anthropic\'s Messages'
openai\t'OpenAI\'s Chat Completions, and what is compatible with it'
openai-responses\t'OpenAI\'s Responses'
gemini\t'Gemini\'s `generateContent`'"
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l preset -d 'The client whose names and parameters they have' -r -f -a "repertoire\t''
agentfootprint\t''
cortex\t''
find-skills\t''
gemini-cli\t''
opencode\t''
goose\t''
agent-framework\t''"
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l with-catalog -d 'Put a catalog into the description of the tool that reads skills, if you say so of at most so many tokens' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l mode -d 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l workflow -d 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l functional-tier -d 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l invoke-level -d 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand tools" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l script -d 'The conversation: turns with what the user says, what the model calls, and what tools answer' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l mode -d 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l workflow -d 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l functional-tier -d 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l invoke-level -d 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l http -d 'Serve over streamable HTTP at this address, as in `127.0.0.1:8321`; the path is `/mcp`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l faces -d 'The ways to serve with: `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l name -d 'What the server calls itself' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l catalog-tokens -d 'How many tokens the catalog in the instructions may have' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l run-commands -d 'Run the approved commands of this source for whoever reads its skills by a tool or as a prompt' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l sandbox -d 'Take from what runs whatever it does not need: files outside of its skill, the network, new rights. On Linux' -r -f -a "off\t'Never'
auto\t'As much of it as there is, which is told'
require\t'All of it, or nothing runs'"
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l mode -d 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l workflow -d 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l functional-tier -d 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l invoke-level -d 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l token-file -d 'Ask clients for the token in this file: `Authorization: Bearer TOKEN`. One is needed off this machine' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l token-env -d 'Ask clients for the token in this environment variable' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l allow-host -d 'Also answer requests to this host, with or without a port' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l allow-origin -d 'Also answer pages of this origin, as in `https://app.example`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l rate -d 'Requests of one address in a second; without a limit on this machine, else 100' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l max-sessions -d 'Sessions at once' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l max-requests -d 'Requests that are answered at once' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l max-body -d 'Bytes of one request' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l log -d 'The form of the log' -r -f -a "text\t'A line for people to read'
json\t'A JSON document on each line'"
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l any-client -d 'Serve every client with all of them, whatever is known of it'
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -f -a "config" -d 'Print what to paste into the configuration of the client that `--client` names'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and not __fish_seen_subcommand_from config help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l url -d 'The address of a server that runs, as in `http://127.0.0.1:8321/mcp`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l token-env -d 'The environment variable with the token of that server' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l program -d 'The program that the client starts' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l name -d 'What the client calls the server' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from help" -f -a "config" -d 'Print what to paste into the configuration of the client that `--client` names'
complete -c repertoire -n "__fish_repertoire_using_subcommand mcp; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand body" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l dialect -d 'How places for arguments are spelled, where neither the source nor the skill says it' -r -f -a "claude\t''
opencode\t''
cortex\t''
openclaw\t''
none\t''"
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l shell -d 'What runs commands' -r -f -a "sh\t''
bash\t''"
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l sandbox -d 'Take from what runs whatever it does not need: files outside of its skill, the network, new rights. On Linux' -r -f -a "off\t'Never'
auto\t'As much of it as there is, which is told'
require\t'All of it, or nothing runs'"
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l var -d 'A variable for `${KEY}`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l allow-commands -d 'Run its commands and scripts: those that are approved, and those that you say yes to'
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand render" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand directives" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l yes -d 'Do not ask. For whoever has read `repertoire directives NAME`'
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l revoke -d 'Take an approval back'
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand approve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand files" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l out -d 'The folder for the lock files; the working folder by default' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l connect -d 'Allow sources that start a program, load a library or open a connection: without this they are refused'
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l check -d 'Write nothing: the same as `verify`'
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand lock" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l out -d 'The folder of the lock files; the working folder by default' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l connect -d 'Allow sources that start a program, load a library or open a connection: without this they are refused'
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l in -d 'The folder for the skill\'s own folder' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l description -d 'What it does and when to use it' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l check -d 'Write nothing, and fail if something would be written'
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l diff -d 'As `--check`, and print what would be written as a patch'
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand fmt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -f -a "list" -d 'List the plugins that were approved, and whether their files are still what they were'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -f -a "inspect" -d 'Show what the file of a plugin says of itself, without running any of it'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -f -a "approve" -d 'Approve what the file of a plugin holds now: configured sources may run it, until it changes'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -f -a "revoke" -d 'Take the approval of a plugin back'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -f -a "new" -d 'Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and not __fish_seen_subcommand_from list inspect approve revoke new help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from inspect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from approve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from revoke" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l in -d 'The folder for the crate\'s own folder' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l checkout -d 'The checkout of `repertoire` to depend on, as its crates are not released' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the plugins that were approved, and whether their files are still what they were'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from help" -f -a "inspect" -d 'Show what the file of a plugin says of itself, without running any of it'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from help" -f -a "approve" -d 'Approve what the file of a plugin holds now: configured sources may run it, until it changes'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from help" -f -a "revoke" -d 'Take the approval of a plugin back'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from help" -f -a "new" -d 'Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass'
complete -c repertoire -n "__fish_repertoire_using_subcommand plugin; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand kinds" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l root -d 'A folder of skills, ahead of everything else; several come in the order given' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l source -d 'A source of any linked kind, behind the roots; options as in a TOML inline table' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l config -d 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked' -r -F
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l client -d 'Also the standard folders of this client, as in `claude`; `all` for every known one' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l disable -d 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l model -d 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`' -r
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l format -d 'The form of the answer' -r -f -a "human\t'Tables and text'
json\t'One JSON document on standard output'
sarif\t'What `check` finds as SARIF 2.1.0, for code scanning'"
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l no-defaults -d 'Leave the standard folders and the built-in skills out'
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l trust-project -d 'Admit the skills of the project: without this, no model would see them'
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -l json -d 'The same as `--format json`'
complete -c repertoire -n "__fish_repertoire_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "list" -d 'List the skills: who has each id, from where, and where its body goes'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "show" -d 'Show everything about one skill'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "which" -d 'Tell who has an id, and why every other claim to it lost'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "search" -d 'Find skills by words: in their names, triggers, tags and descriptions, the best first'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "roots" -d 'Show every place that was looked at, whether it is there and what it holds'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "check" -d 'Show everything that is wrong or odd, with the lines that it is about'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "watch" -d 'Show changes as they happen, with what is wrong or odd about them'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "catalog" -d 'Print the text that tells a model which skills there are; what did not fit goes to standard error'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "tools" -d 'Print the tools that a model finds and reads skills with, for the request to a provider'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "simulate" -d 'Play a conversation from a file, and print what each call of the model is made of, who decided it, and what was left out and why'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "serve" -d 'Serve the skills over MCP: to one client over standard input and output, or to many over HTTP'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "mcp" -d 'Print what an MCP client has to be told of this server'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "body" -d 'Print the instructions of one skill'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "render" -d 'Print the instructions of one skill as a model gets them, with what was typed in its places'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "directives" -d 'Show every command and script that one skill would run, without running any'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "approve" -d 'Let one skill run its commands and scripts, as they are now: any change asks again'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "files" -d 'List the files of one skill, or print one of them'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "lock" -d 'Write down what every file of the project\'s skills is now, for `verify` to compare'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "verify" -d 'Compare every file of the project\'s skills with what `lock` wrote down'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "new" -d 'Write the beginning of a skill, and print where it is'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "fmt" -d 'Bring the front matter of skills into its canonical form'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "plugin" -d 'Decide which plugins may run, look at one without running it, or begin one'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "kinds" -d 'List the kinds of sources that this program knows'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "completions" -d 'Print what a shell needs to complete this program\'s arguments'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "man" -d 'Print the manual page of this program, or of one of its commands'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and not __fish_seen_subcommand_from list show which search roots check watch catalog tools simulate serve mcp body render directives approve files lock verify new fmt plugin kinds completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and __fish_seen_subcommand_from mcp" -f -a "config" -d 'Print what to paste into the configuration of the client that `--client` names'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and __fish_seen_subcommand_from plugin" -f -a "list" -d 'List the plugins that were approved, and whether their files are still what they were'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and __fish_seen_subcommand_from plugin" -f -a "inspect" -d 'Show what the file of a plugin says of itself, without running any of it'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and __fish_seen_subcommand_from plugin" -f -a "approve" -d 'Approve what the file of a plugin holds now: configured sources may run it, until it changes'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and __fish_seen_subcommand_from plugin" -f -a "revoke" -d 'Take the approval of a plugin back'
complete -c repertoire -n "__fish_repertoire_using_subcommand help; and __fish_seen_subcommand_from plugin" -f -a "new" -d 'Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass'
