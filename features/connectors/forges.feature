Feature: Commit statuses

  Rule: A commit status is set by repository, commit and state

    @far-end @CONN-039 @CONN-041 @CONN-042 @CONN-043 @CONN-050 @CONN-051 @CONN-052
    Scenario: a status is set at an enterprise host with the default context
      Given a statuses API with the token "tok-of-forge" for "acme/web"
      And the credential "forge" is '{"kind": "bearer", "token": "tok-of-forge"}'
      When I run the node "forge_a.set_commit_status" with:
        """
        {"credential": "forge", "with": {"api_base": "{far}/api/v3"}, "input": {"repo": "acme/web",
         "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "state": "success", "description": "all green"}}
        """
      Then the run succeeds
      And "output.status" of the run is "201"
      And the commit "acme/web@6dcb09b5b57875f334f61aebed695e2e4193db5e" soon has the checks:
        | context | state   | description |
        | svc     | success | all green   |
      And it was asked:
        | method | path                                                                     | authorization       | accept                      |
        | POST   | /api/v3/repos/acme/web/statuses/6dcb09b5b57875f334f61aebed695e2e4193db5e | Bearer tok-of-forge | application/vnd.github+json |

    @CONN-043
    Scenario: without an address, the public host is used
      When I call svc with the arguments:
        | connector | render | forge_a.set_commit_status | --input | {"repo": "acme/web", "sha": "c0ffee", "state": "error"} |
      Then standard output has "POST https://api.github.com/repos/acme/web/statuses/c0ffee"
      And standard output has "authorization: Bearer ***"

    @far-end @CONN-044 @CONN-046 @CONN-047 @CONN-048 @CONN-049 @CONN-050 @CONN-051 @CONN-052
    Scenario: a forge with a compatible API needs an explicit host
      Given a statuses API with the token "tok-of-forge" for "acme/web"
      And the credential "forge" is '{"kind": "bearer", "token": "tok-of-forge"}'
      When I run the node "forge_b.set_commit_status" with:
        """
        {"credential": "forge", "with": {"api_base": "{far}/api/v1"}, "input": {"repo": "acme/web",
         "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "state": "failure"}}
        """
      Then the run succeeds
      And the commit "acme/web@6dcb09b5b57875f334f61aebed695e2e4193db5e" soon has the checks:
        | context | state   |
        | svc     | failure |
      When I save the graph "g":
        """
        {"nodes": [{"id": "n", "type": "forge_b.set_commit_status", "config": {"credential": "forge", "with": {"context": "x"},
          "input": {"repo": "acme/web", "sha": "c0ffee", "state": "failure"}}}]}
        """
      Then the answer is 422 with code "workflow_invalid"
      # @contract
      And "errors.0.pointer" of the answer is "/nodes/0/config/with/api_base"

  Rule: A run's status is reported from its envelope

    @far-end @CONN-040 @CONN-045 @CONN-053 @CONN-054 @CONN-055 @CONN-056 @CONN-057 @CONN-058 @CONN-059 @CONN-060 @CONN-061
    Scenario Outline: <connector> reports <type> as <state>
      Given a statuses API with the token "tok-of-forge" for "acme/web"
      And the credential "forge" is '{"kind": "bearer", "token": "tok-of-forge"}'
      When I run the node "<connector>.report_run_status" on the input '{"type": "<type>", "event": "evt_1", "payload": {"run_id": "run_1", "run_url": "https://svc.example.org/runs/run_1", "trigger": {"type": "push", "repo": "acme/web", "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e"}}}' with:
        """
        {"credential": "forge", "with": {"api_base": "{far}/api/v1", "context": "ci"}, "input": {"$expr": "input"}}
        """
      Then the run succeeds
      And the commit "acme/web@6dcb09b5b57875f334f61aebed695e2e4193db5e" soon has the checks:
        | context | state   | target_url                          |
        | ci      | <state> | https://svc.example.org/runs/run_1 |

      Examples:
        | connector | type          | state   |
        | forge_a   | run.started   | pending |
        | forge_a   | run.succeeded | success |
        | forge_a   | run.failed    | failure |
        | forge_a   | run.cancelled | error   |
        | forge_a   | run.paused    | error   |
        | forge_b   | run.started   | pending |
        | forge_b   | run.succeeded | success |
        | forge_b   | run.failed    | failure |
        | forge_b   | run.cancelled | error   |
        | forge_b   | run.paused    | error   |

    @far-end @CONN-054 @CONN-055
    Scenario Outline: nothing is sent without <what>
      Given a statuses API with the token "tok-of-forge" for "acme/web"
      And the credential "forge" is '{"kind": "bearer", "token": "tok-of-forge"}'
      When I run the node "forge_a.report_run_status" with:
        """
        {"credential": "forge", "with": {"api_base": "{far}"},
         "input": {"type": "run.failed", "payload": {"trigger": <trigger>}}}
        """
      Then the run fails with code "connector_input_invalid"
      # @contract
      And "error.message" of the run matches "<pointer>"
      And it was asked 0 times

      Examples:
        | what         | trigger                       | pointer                     |
        | a repository | {"type": "push", "sha": "c0"} | /input/payload/trigger/repo |
        | a commit     | {"repo": "acme/web"}          | /input/payload/trigger/sha  |
        | both         | {"type": "manual"}            | /input/payload/trigger/repo |
