
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'repertoire' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'repertoire'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'repertoire' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the skills: who has each id, from where, and where its body goes')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show everything about one skill')
            [CompletionResult]::new('which', 'which', [CompletionResultType]::ParameterValue, 'Tell who has an id, and why every other claim to it lost')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find skills by words: in their names, triggers, tags and descriptions, the best first')
            [CompletionResult]::new('roots', 'roots', [CompletionResultType]::ParameterValue, 'Show every place that was looked at, whether it is there and what it holds')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Show everything that is wrong or odd, with the lines that it is about')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Show everything that is wrong or odd, with the lines that it is about')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Show changes as they happen, with what is wrong or odd about them')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Print the text that tells a model which skills there are; what did not fit goes to standard error')
            [CompletionResult]::new('tools', 'tools', [CompletionResultType]::ParameterValue, 'Print the tools that a model finds and reads skills with, for the request to a provider')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Play a conversation from a file, and print what each call of the model is made of, who decided it, and what was left out and why')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve the skills over MCP: to one client over standard input and output, or to many over HTTP')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Print what an MCP client has to be told of this server')
            [CompletionResult]::new('body', 'body', [CompletionResultType]::ParameterValue, 'Print the instructions of one skill')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the instructions of one skill as a model gets them, with what was typed in its places')
            [CompletionResult]::new('directives', 'directives', [CompletionResultType]::ParameterValue, 'Show every command and script that one skill would run, without running any')
            [CompletionResult]::new('approve', 'approve', [CompletionResultType]::ParameterValue, 'Let one skill run its commands and scripts, as they are now: any change asks again')
            [CompletionResult]::new('files', 'files', [CompletionResultType]::ParameterValue, 'List the files of one skill, or print one of them')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Write down what every file of the project''s skills is now, for `verify` to compare')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Compare every file of the project''s skills with what `lock` wrote down')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Write the beginning of a skill, and print where it is')
            [CompletionResult]::new('fmt', 'fmt', [CompletionResultType]::ParameterValue, 'Bring the front matter of skills into its canonical form')
            [CompletionResult]::new('plugin', 'plugin', [CompletionResultType]::ParameterValue, 'Decide which plugins may run, look at one without running it, or begin one')
            [CompletionResult]::new('kinds', 'kinds', [CompletionResultType]::ParameterValue, 'List the kinds of sources that this program knows')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print what a shell needs to complete this program''s arguments')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of this program, or of one of its commands')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'repertoire;list' {
            [CompletionResult]::new('--functional-tier', '--functional-tier', [CompletionResultType]::ParameterName, 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own')
            [CompletionResult]::new('--invoke-level', '--invoke-level', [CompletionResultType]::ParameterName, 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--connect', '--connect', [CompletionResultType]::ParameterName, 'Allow sources that start a program, load a library or open a connection: without this they are refused')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show also what lost its id to another skill, and files that give no skill')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;show' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;which' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;search' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most so many skills')
            [CompletionResult]::new('--seen-by', '--seen-by', [CompletionResultType]::ParameterName, 'Among what the model or the user may see, and not among everything')
            [CompletionResult]::new('--tier', '--tier', [CompletionResultType]::ParameterName, 'Only skills of this tier')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Only skills of this source')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Only skills of this category')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Only skills with this tag; several must all be there')
            [CompletionResult]::new('--tool', '--tool', [CompletionResultType]::ParameterName, 'Only skills that need, bring or pre-approve this tool')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden')
            [CompletionResult]::new('--functional-tier', '--functional-tier', [CompletionResultType]::ParameterName, 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own')
            [CompletionResult]::new('--invoke-level', '--invoke-level', [CompletionResultType]::ParameterName, 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;roots' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;check' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--connect', '--connect', [CompletionResultType]::ParameterName, 'Allow sources that start a program, load a library or open a connection: without this they are refused')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Judge as the reference validator of the standard does, and let warnings fail the check')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;validate' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--connect', '--connect', [CompletionResultType]::ParameterName, 'Allow sources that start a program, load a library or open a connection: without this they are refused')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Judge as the reference validator of the standard does, and let warnings fail the check')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;watch' {
            [CompletionResult]::new('--changes', '--changes', [CompletionResultType]::ParameterName, 'End after so many changes')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;catalog' {
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Markup, budget, overflow and locations as this client has them; what else is given goes before it')
            [CompletionResult]::new('--style', '--style', [CompletionResultType]::ParameterName, 'The markup [default: xml]')
            [CompletionResult]::new('--tokens', '--tokens', [CompletionResultType]::ParameterName, 'At most so many tokens')
            [CompletionResult]::new('--chars', '--chars', [CompletionResultType]::ParameterName, 'At most so many characters')
            [CompletionResult]::new('--window', '--window', [CompletionResultType]::ParameterName, 'A share of a context window of so many tokens; of an unknown one, 8000 characters')
            [CompletionResult]::new('--share', '--share', [CompletionResultType]::ParameterName, 'How much of the window, in percent, and never less than 128 tokens [default: 2, or as the client has it]')
            [CompletionResult]::new('--overflow', '--overflow', [CompletionResultType]::ParameterName, 'What gives way when not everything fits [default: shorten]')
            [CompletionResult]::new('--used', '--used', [CompletionResultType]::ParameterName, 'How often a skill was used, for `--overflow least-used`')
            [CompletionResult]::new('--tokenizer', '--tokenizer', [CompletionResultType]::ParameterName, 'Whose tokens are counted')
            [CompletionResult]::new('--activation', '--activation', [CompletionResultType]::ParameterName, 'Say first how the model reads a skill: `files` where it has file tools, else the client whose tool it calls')
            [CompletionResult]::new('--hint', '--hint', [CompletionResultType]::ParameterName, 'What tells the model how to find skills that were left out [default: what the activation says]')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden')
            [CompletionResult]::new('--functional-tier', '--functional-tier', [CompletionResultType]::ParameterName, 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own')
            [CompletionResult]::new('--invoke-level', '--invoke-level', [CompletionResultType]::ParameterName, 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--locations', '--locations', [CompletionResultType]::ParameterName, 'Tell where each skill lies; `--activation files` does, too')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;tools' {
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Whose requests they are for')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'The client whose names and parameters they have')
            [CompletionResult]::new('--with-catalog', '--with-catalog', [CompletionResultType]::ParameterName, 'Put a catalog into the description of the tool that reads skills, if you say so of at most so many tokens')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden')
            [CompletionResult]::new('--functional-tier', '--functional-tier', [CompletionResultType]::ParameterName, 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own')
            [CompletionResult]::new('--invoke-level', '--invoke-level', [CompletionResultType]::ParameterName, 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;simulate' {
            [CompletionResult]::new('--script', '--script', [CompletionResultType]::ParameterName, 'The conversation: turns with what the user says, what the model calls, and what tools answer')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden')
            [CompletionResult]::new('--functional-tier', '--functional-tier', [CompletionResultType]::ParameterName, 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own')
            [CompletionResult]::new('--invoke-level', '--invoke-level', [CompletionResultType]::ParameterName, 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;serve' {
            [CompletionResult]::new('--http', '--http', [CompletionResultType]::ParameterName, 'Serve over streamable HTTP at this address, as in `127.0.0.1:8321`; the path is `/mcp`')
            [CompletionResult]::new('--faces', '--faces', [CompletionResultType]::ParameterName, 'The ways to serve with: `all`, or some of `extension`, `resources`, `prompts`, `tools` and `instructions`')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'What the server calls itself')
            [CompletionResult]::new('--catalog-tokens', '--catalog-tokens', [CompletionResultType]::ParameterName, 'How many tokens the catalog in the instructions may have')
            [CompletionResult]::new('--run-commands', '--run-commands', [CompletionResultType]::ParameterName, 'Run the approved commands of this source for whoever reads its skills by a tool or as a prompt')
            [CompletionResult]::new('--sandbox', '--sandbox', [CompletionResultType]::ParameterName, 'Take from what runs whatever it does not need: files outside of its skill, the network, new rights. On Linux')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or `*`; of those that fit, the first of these decides')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden')
            [CompletionResult]::new('--functional-tier', '--functional-tier', [CompletionResultType]::ParameterName, 'Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`, `infrastructure`, `integration`, or one of their own')
            [CompletionResult]::new('--invoke-level', '--invoke-level', [CompletionResultType]::ParameterName, 'Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one')
            [CompletionResult]::new('--token-file', '--token-file', [CompletionResultType]::ParameterName, 'Ask clients for the token in this file: `Authorization: Bearer TOKEN`. One is needed off this machine')
            [CompletionResult]::new('--token-env', '--token-env', [CompletionResultType]::ParameterName, 'Ask clients for the token in this environment variable')
            [CompletionResult]::new('--allow-host', '--allow-host', [CompletionResultType]::ParameterName, 'Also answer requests to this host, with or without a port')
            [CompletionResult]::new('--allow-origin', '--allow-origin', [CompletionResultType]::ParameterName, 'Also answer pages of this origin, as in `https://app.example`')
            [CompletionResult]::new('--rate', '--rate', [CompletionResultType]::ParameterName, 'Requests of one address in a second; without a limit on this machine, else 100')
            [CompletionResult]::new('--max-sessions', '--max-sessions', [CompletionResultType]::ParameterName, 'Sessions at once')
            [CompletionResult]::new('--max-requests', '--max-requests', [CompletionResultType]::ParameterName, 'Requests that are answered at once')
            [CompletionResult]::new('--max-body', '--max-body', [CompletionResultType]::ParameterName, 'Bytes of one request')
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'The form of the log')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--any-client', '--any-client', [CompletionResultType]::ParameterName, 'Serve every client with all of them, whatever is known of it')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;mcp' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Print what to paste into the configuration of the client that `--client` names')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'repertoire;mcp;config' {
            [CompletionResult]::new('--url', '--url', [CompletionResultType]::ParameterName, 'The address of a server that runs, as in `http://127.0.0.1:8321/mcp`')
            [CompletionResult]::new('--token-env', '--token-env', [CompletionResultType]::ParameterName, 'The environment variable with the token of that server')
            [CompletionResult]::new('--program', '--program', [CompletionResultType]::ParameterName, 'The program that the client starts')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'What the client calls the server')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;mcp;help' {
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Print what to paste into the configuration of the client that `--client` names')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'repertoire;mcp;help;config' {
            break
        }
        'repertoire;mcp;help;help' {
            break
        }
        'repertoire;body' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;render' {
            [CompletionResult]::new('--dialect', '--dialect', [CompletionResultType]::ParameterName, 'How places for arguments are spelled, where neither the source nor the skill says it')
            [CompletionResult]::new('--shell', '--shell', [CompletionResultType]::ParameterName, 'What runs commands')
            [CompletionResult]::new('--sandbox', '--sandbox', [CompletionResultType]::ParameterName, 'Take from what runs whatever it does not need: files outside of its skill, the network, new rights. On Linux')
            [CompletionResult]::new('--var', '--var', [CompletionResultType]::ParameterName, 'A variable for `${KEY}`')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--allow-commands', '--allow-commands', [CompletionResultType]::ParameterName, 'Run its commands and scripts: those that are approved, and those that you say yes to')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;directives' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;approve' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask. For whoever has read `repertoire directives NAME`')
            [CompletionResult]::new('--revoke', '--revoke', [CompletionResultType]::ParameterName, 'Take an approval back')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;files' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;lock' {
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'The folder for the lock files; the working folder by default')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--connect', '--connect', [CompletionResultType]::ParameterName, 'Allow sources that start a program, load a library or open a connection: without this they are refused')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Write nothing: the same as `verify`')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;verify' {
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'The folder of the lock files; the working folder by default')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--connect', '--connect', [CompletionResultType]::ParameterName, 'Allow sources that start a program, load a library or open a connection: without this they are refused')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;new' {
            [CompletionResult]::new('--in', '--in', [CompletionResultType]::ParameterName, 'The folder for the skill''s own folder')
            [CompletionResult]::new('--description', '--description', [CompletionResultType]::ParameterName, 'What it does and when to use it')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;fmt' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Write nothing, and fail if something would be written')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'As `--check`, and print what would be written as a patch')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;plugin' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the plugins that were approved, and whether their files are still what they were')
            [CompletionResult]::new('inspect', 'inspect', [CompletionResultType]::ParameterValue, 'Show what the file of a plugin says of itself, without running any of it')
            [CompletionResult]::new('approve', 'approve', [CompletionResultType]::ParameterValue, 'Approve what the file of a plugin holds now: configured sources may run it, until it changes')
            [CompletionResult]::new('revoke', 'revoke', [CompletionResultType]::ParameterValue, 'Take the approval of a plugin back')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'repertoire;plugin;list' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;plugin;inspect' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;plugin;approve' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;plugin;revoke' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;plugin;new' {
            [CompletionResult]::new('--in', '--in', [CompletionResultType]::ParameterName, 'The folder for the crate''s own folder')
            [CompletionResult]::new('--checkout', '--checkout', [CompletionResultType]::ParameterName, 'The checkout of `repertoire` to depend on, as its crates are not released')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;plugin;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the plugins that were approved, and whether their files are still what they were')
            [CompletionResult]::new('inspect', 'inspect', [CompletionResultType]::ParameterValue, 'Show what the file of a plugin says of itself, without running any of it')
            [CompletionResult]::new('approve', 'approve', [CompletionResultType]::ParameterValue, 'Approve what the file of a plugin holds now: configured sources may run it, until it changes')
            [CompletionResult]::new('revoke', 'revoke', [CompletionResultType]::ParameterValue, 'Take the approval of a plugin back')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'repertoire;plugin;help;list' {
            break
        }
        'repertoire;plugin;help;inspect' {
            break
        }
        'repertoire;plugin;help;approve' {
            break
        }
        'repertoire;plugin;help;revoke' {
            break
        }
        'repertoire;plugin;help;new' {
            break
        }
        'repertoire;plugin;help;help' {
            break
        }
        'repertoire;kinds' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;completions' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;man' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'A folder of skills, ahead of everything else; several come in the order given')
            [CompletionResult]::new('--source', '--source', [CompletionResultType]::ParameterName, 'A source of any linked kind, behind the roots; options as in a TOML inline table')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked')
            [CompletionResult]::new('--client', '--client', [CompletionResultType]::ParameterName, 'Also the standard folders of this client, as in `claude`; `all` for every known one')
            [CompletionResult]::new('--disable', '--disable', [CompletionResultType]::ParameterName, 'Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the answer')
            [CompletionResult]::new('--no-defaults', '--no-defaults', [CompletionResultType]::ParameterName, 'Leave the standard folders and the built-in skills out')
            [CompletionResult]::new('--trust-project', '--trust-project', [CompletionResultType]::ParameterName, 'Admit the skills of the project: without this, no model would see them')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'repertoire;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the skills: who has each id, from where, and where its body goes')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show everything about one skill')
            [CompletionResult]::new('which', 'which', [CompletionResultType]::ParameterValue, 'Tell who has an id, and why every other claim to it lost')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find skills by words: in their names, triggers, tags and descriptions, the best first')
            [CompletionResult]::new('roots', 'roots', [CompletionResultType]::ParameterValue, 'Show every place that was looked at, whether it is there and what it holds')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Show everything that is wrong or odd, with the lines that it is about')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Show changes as they happen, with what is wrong or odd about them')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Print the text that tells a model which skills there are; what did not fit goes to standard error')
            [CompletionResult]::new('tools', 'tools', [CompletionResultType]::ParameterValue, 'Print the tools that a model finds and reads skills with, for the request to a provider')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Play a conversation from a file, and print what each call of the model is made of, who decided it, and what was left out and why')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve the skills over MCP: to one client over standard input and output, or to many over HTTP')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Print what an MCP client has to be told of this server')
            [CompletionResult]::new('body', 'body', [CompletionResultType]::ParameterValue, 'Print the instructions of one skill')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the instructions of one skill as a model gets them, with what was typed in its places')
            [CompletionResult]::new('directives', 'directives', [CompletionResultType]::ParameterValue, 'Show every command and script that one skill would run, without running any')
            [CompletionResult]::new('approve', 'approve', [CompletionResultType]::ParameterValue, 'Let one skill run its commands and scripts, as they are now: any change asks again')
            [CompletionResult]::new('files', 'files', [CompletionResultType]::ParameterValue, 'List the files of one skill, or print one of them')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Write down what every file of the project''s skills is now, for `verify` to compare')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Compare every file of the project''s skills with what `lock` wrote down')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Write the beginning of a skill, and print where it is')
            [CompletionResult]::new('fmt', 'fmt', [CompletionResultType]::ParameterValue, 'Bring the front matter of skills into its canonical form')
            [CompletionResult]::new('plugin', 'plugin', [CompletionResultType]::ParameterValue, 'Decide which plugins may run, look at one without running it, or begin one')
            [CompletionResult]::new('kinds', 'kinds', [CompletionResultType]::ParameterValue, 'List the kinds of sources that this program knows')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print what a shell needs to complete this program''s arguments')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of this program, or of one of its commands')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'repertoire;help;list' {
            break
        }
        'repertoire;help;show' {
            break
        }
        'repertoire;help;which' {
            break
        }
        'repertoire;help;search' {
            break
        }
        'repertoire;help;roots' {
            break
        }
        'repertoire;help;check' {
            break
        }
        'repertoire;help;watch' {
            break
        }
        'repertoire;help;catalog' {
            break
        }
        'repertoire;help;tools' {
            break
        }
        'repertoire;help;simulate' {
            break
        }
        'repertoire;help;serve' {
            break
        }
        'repertoire;help;mcp' {
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Print what to paste into the configuration of the client that `--client` names')
            break
        }
        'repertoire;help;mcp;config' {
            break
        }
        'repertoire;help;body' {
            break
        }
        'repertoire;help;render' {
            break
        }
        'repertoire;help;directives' {
            break
        }
        'repertoire;help;approve' {
            break
        }
        'repertoire;help;files' {
            break
        }
        'repertoire;help;lock' {
            break
        }
        'repertoire;help;verify' {
            break
        }
        'repertoire;help;new' {
            break
        }
        'repertoire;help;fmt' {
            break
        }
        'repertoire;help;plugin' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the plugins that were approved, and whether their files are still what they were')
            [CompletionResult]::new('inspect', 'inspect', [CompletionResultType]::ParameterValue, 'Show what the file of a plugin says of itself, without running any of it')
            [CompletionResult]::new('approve', 'approve', [CompletionResultType]::ParameterValue, 'Approve what the file of a plugin holds now: configured sources may run it, until it changes')
            [CompletionResult]::new('revoke', 'revoke', [CompletionResultType]::ParameterValue, 'Take the approval of a plugin back')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Write the beginning of a plugin in Rust: a crate that builds, with the tests that every source has to pass')
            break
        }
        'repertoire;help;plugin;list' {
            break
        }
        'repertoire;help;plugin;inspect' {
            break
        }
        'repertoire;help;plugin;approve' {
            break
        }
        'repertoire;help;plugin;revoke' {
            break
        }
        'repertoire;help;plugin;new' {
            break
        }
        'repertoire;help;kinds' {
            break
        }
        'repertoire;help;completions' {
            break
        }
        'repertoire;help;man' {
            break
        }
        'repertoire;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
