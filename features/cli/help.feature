@contract
Feature: Help and completion

  Rule: The help is the manual

    Scenario: every command that is listed explains itself
      When I ask every command of "svc --help" for its help
      Then each has a summary, a usage line and its flags
      And verbs of scripts have their exit codes, what is recorded and examples

    Scenario Outline: help is shown for <line>
      When I call "<line>"
      Then it exits with 0
      And standard output has "<has>"
      And standard error is ""

      Examples:
        | line             | has                |
        | svc              | svc dev            |
        | svc help runs list | usage: svc runs ls |
        | svc token delete -h | usage: svc token rm |
        | svc help         | Exit codes:        |
        | svc -h           | Exit codes:        |
        | svc help submit  | usage: svc submit  |
        | svc submit -h    | usage: svc submit  |
        | svc runs         | svc runs ls        |
        | svc runs --help  | svc runs ls        |
        | svc help step    | What is recorded   |
        | svc sleep -h     | usage: svc sleep <duration> |
        | svc help emit    | In a script: svc emit |
        | svc help state   | svc state get <key> \| set |

  Rule: Completion works in its shell

    Scenario Outline: <shell> completes "<typed>"
      Given the shell "<shell>"
      When <shell> has sourced the completion and completes "<typed>"
      Then it offers "<offered>"
      And it does not offer "<not>"

      Examples:
        | shell | typed          | offered    | not         |
        | bash  | svc su         | submit     | status      |
        | bash  | svc st         | status     | submit      |
        | bash  | svc token c    | create     | ls          |
        | bash  | svc submit --f | --follow   | --tag       |
        | bash  | svc runs ls -- | --status   | --follow    |
        | bash  | svc runs ls -- | --workflow | --principal |

      Examples:
        | shell | typed          | offered    | not         |
        | zsh   | svc su         | submit     | status      |
        | zsh   | svc st         | status     | submit      |
        | zsh   | svc token c    | create     | ls          |
        | zsh   | svc submit --f | --follow   | --tag       |
        | zsh   | svc runs ls -- | --status   | --follow    |
        | zsh   | svc runs ls -- | --workflow | --principal |

      Examples:
        | shell | typed          | offered    | not         |
        | fish  | svc su         | submit     | status      |
        | fish  | svc st         | status     | submit      |
        | fish  | svc token c    | create     | ls          |
        | fish  | svc submit --f | --follow   | --tag       |
        | fish  | svc runs ls -- | --status   | --follow    |
        | fish  | svc runs ls -- | --workflow | --principal |
