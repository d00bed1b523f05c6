Feature: Reporting runs on their commits

  Rule: One handler reports a project's runs as commit statuses

    @far-end @CONN-062 @CONN-064 @CONN-065 @CONN-066
    Scenario: a push starts two workflows, and its commit gets two checks
      Given a statuses API with the token "tok-of-forge" for "acme/web"
      And the credential "forge" is '{"kind": "bearer", "token": "tok-of-forge"}'
      And the webhook "unit" for "acme/web" runs "unit.sh":
        """
        svc step test -- true
        """
      And the webhook "lint" for "acme/web" runs "lint.sh":
        """
        svc step lint -- false
        """
      When I call svc with the arguments:
        | handler  | set | report-unit | --on | run.* | --node | forge_a.report_run_status |
        | --when   | has(event.payload.trigger.repo) && has(event.payload.trigger.sha) && event.payload.workflow == "unit.sh" | | | | | |
        | --config | {"credential": "forge", "with": {"context": "ci/unit", "api_base": "{far}"}, "input": {"$expr": "input"}} | | | | | |
      Then it exits with 0
      When I call svc with the arguments:
        | handler  | set | report-lint | --on | run.* | --node | forge_a.report_run_status |
        | --when   | has(event.payload.trigger.repo) && has(event.payload.trigger.sha) && event.payload.workflow == "lint.sh" | | | | | |
        | --config | {"credential": "forge", "with": {"context": "ci/lint", "api_base": "{far}"}, "input": {"$expr": "input"}} | | | | | |
      Then it exits with 0
      When forge_a delivers "push" to "unit":
        """
        {"ref": "refs/heads/main", "after": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "forced": false,
         "repository": {"full_name": "acme/web"}, "sender": {"login": "ana"}, "commits": []}
        """
      And forge_a delivers "push" to "lint":
        """
        {"ref": "refs/heads/main", "after": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "forced": false,
         "repository": {"full_name": "acme/web"}, "sender": {"login": "ana"}, "commits": []}
        """
      Then each check soon was reported as:
        | context | states          |
        | ci/lint | pending failure |
        | ci/unit | pending success |
      And the commit "acme/web@6dcb09b5b57875f334f61aebed695e2e4193db5e" has 2 checks
      And the project comes to rest

    @far-end @CONN-064
    Scenario: a run without a commit is not reported
      Given a statuses API with the token "tok-of-forge" for "acme/web"
      And the credential "forge" is '{"kind": "bearer", "token": "tok-of-forge"}'
      When I call svc with the arguments:
        | handler  | set | report | --on | run.* | --node | forge_a.report_run_status |
        | --when   | has(event.payload.trigger.repo) && has(event.payload.trigger.sha) | | | | | |
        | --config | {"credential": "forge", "with": {"api_base": "{far}"}, "input": {"$expr": "input"}} | | | | | |
      Then it exits with 0
      When I submit the script "plain.sh":
        """
        true
        """
      Then the run succeeds
      And the project comes to rest
      And it was asked 0 times

    @CONN-066
    Scenario: a handler with an invalid config is rejected when it is set
      When I call svc with the arguments:
        | handler  | set | report | --on | run.* | --node | forge_b.report_run_status |
        | --config | {"credential": "forge", "input": {"$expr": "input"}} | | | | | |
      Then it exits with 1
      # @contract
      And standard error has "/config/with"
