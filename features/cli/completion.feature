@contract
Feature: Shell completion

  Rule: Commands, verbs and flags are completed without a server

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

  Rule: Values come from the server; if the server cannot be reached, completion works without them

    Scenario Outline: completion in <shell> asks the server for "<typed>"
      Given the shell "<shell>"
      And a file "job.sh":
        """
        echo done
        """
      And a file "deploy.yaml":
        """
        inputs: { service: string, at: live|test }
        jobs: { go: { steps: [{ run: "true" }] } }
        """
      And the secret "GIZMO_KEY" is "a value of some length"
      And the credential "gizmo" is '{"kind": "bearer", "token": "a-token-of-some-length"}'
      When I submit "job.sh" with the CLI as "it"
      Then the run succeeds
      When <shell> has sourced the completion and completes "<typed>"
      Then it offers "<offered>"
      And it does not offer "<not>"

      Examples:
        | shell | typed                           | offered             | not          |
        | bash  | svc status r                    | {run}               | --json       |
        | bash  | svc status @                    | @last               | gizmo        |
        | bash  | svc runs ls --status wai        | waiting             | queued       |
        | bash  | svc secret get G                | GIZMO_KEY           | GADGET       |
        | bash  | svc credential rm g             | gizmo               | bot          |
        | bash  | svc logs @last --pass l         | last                | {run}        |
        | bash  | svc step --re                   | --retry             | --label      |
        | bash  | svc st                          | step                | sleep        |
        | bash  | svc errors det                  | determinism_violation | not_found    |
        | bash  | svc submit j                    | job.sh              | gizmo        |
        | bash  | svc submit deploy.yaml --s      | --service           | --at         |
        | bash  | svc submit deploy.yaml --at l   | live                | test         |
        | bash  | svc help token r                | rm                  | ls           |

      Examples:
        | shell | typed                           | offered             | not          |
        | zsh   | svc status r                    | {run}               | --json       |
        | zsh   | svc status @                    | @last               | gizmo        |
        | zsh   | svc runs ls --status wai        | waiting             | queued       |
        | zsh   | svc secret get G                | GIZMO_KEY           | GADGET       |
        | zsh   | svc credential rm g             | gizmo               | bot          |
        | zsh   | svc logs @last --pass l         | last                | {run}        |
        | zsh   | svc step --re                   | --retry             | --label      |
        | zsh   | svc st                          | step                | sleep        |
        | zsh   | svc errors det                  | determinism_violation | not_found    |
        | zsh   | svc submit j                    | job.sh              | gizmo        |
        | zsh   | svc submit deploy.yaml --s      | --service           | --at         |
        | zsh   | svc submit deploy.yaml --at l   | live                | test         |
        | zsh   | svc help token r                | rm                  | ls           |

      Examples:
        | shell | typed                           | offered             | not          |
        | fish  | svc status r                    | {run}               | --json       |
        | fish  | svc status @                    | @last               | gizmo        |
        | fish  | svc runs ls --status wai        | waiting             | queued       |
        | fish  | svc secret get G                | GIZMO_KEY           | GADGET       |
        | fish  | svc credential rm g             | gizmo               | bot          |
        | fish  | svc logs @last --pass l         | last                | {run}        |
        | fish  | svc step --re                   | --retry             | --label      |
        | fish  | svc st                          | step                | sleep        |
        | fish  | svc errors det                  | determinism_violation | not_found    |
        | fish  | svc submit j                    | job.sh              | gizmo        |
        | fish  | svc submit deploy.yaml --s      | --service           | --at         |
        | fish  | svc submit deploy.yaml --at l   | live                | test         |
        | fish  | svc help token r                | rm                  | ls           |

    Scenario Outline: completion in <shell> works even if the server does not respond
      Given the shell "<shell>"
      When <shell> completes "svc status r" with a server that nobody can reach
      Then it offers no run and says nothing

      Examples:
        | shell |
        | bash  |
        | zsh   |
        | fish  |
