@contract
Feature: From a push to a checked commit

  Rule: A push runs its repository's pipeline to the end, even if processes are killed

    @own-agent @far-end @needs-git
    Scenario: a pipeline has a matrix, an approval, artifacts and a commit status; a newer push replaces a run, and an agent is killed
      Given 2 agents of its own
      And a gate "kill"
      And a statuses API with the token "tok-of-forge" for "acme/app"
      And the credential "forge" is '{"kind": "bearer", "token": "tok-of-forge"}'
      When I call svc with the arguments:
        | handler  | set | report | --on | run.* | --node | forge_a.report_run_status |
        | --when   | has(event.payload.trigger.repo) && has(event.payload.trigger.sha) | | | | | |
        | --config | {"credential": "forge", "with": {"context": "ci", "api_base": "{far}"}, "input": {"$expr": "input"}} | | | | | |
      Then it exits with 0
      Given a repository "app" whose "ci.yml" is:
        """
        requires: ["{project}"]
        concurrency: { group: "app-${{ input.ref }}", policy: cancel-running }
        outputs: { shipped: "${{ jobs.ship.outputs.text }}" }
        jobs:
          unit:
            strategy: { matrix: { part: [a, b] }, max_parallel: 1 }
            env: { PART: "${{ matrix.part }}" }
            steps: [{ run: 'test -e ci.yml; echo "unit $PART" >> {folder}/ran' }]
          build:
            needs: unit
            steps:
              - run: echo build >> {folder}/ran
              - run: |
                  mkdir dist && git rev-parse HEAD > dist/commit.txt
                  if mkdir {folder}/once; then
                    echo "$SVC_AGENT_PID" > {folder}/pid; read _ < {folder}/kill; sleep 600
                  fi
            artifacts: [dist/]
          approval: { needs: build, wait_for_event: app.approved, when: event.payload.by == 'bo', timeout: 1h }
          ship:
            needs: approval
            if: input.ref == 'refs/heads/main'
            env: { BY: "${{ jobs.approval.outputs.payload.by }}" }
            steps: [{ id: ship, run: 'echo "text=shipped for $BY" >> "$SVC_OUTPUT"; echo ship >> {folder}/ran' }]
            outputs: { text: "${{ steps.ship.output.text }}" }
        """
      And the commit is noted as "first"
      And the webhook "ci" runs the pipeline of "app" with '{}'
      When the push of "app" to "refs/heads/main" reaches "ci" as "one"
      And I open the gate "kill"
      And I kill the agent whose process is in the file "pid"
      Then the pipeline "one" waits for the event "app.approved"
      And the file "ran" is:
        """
        unit a
        unit b
        build
        build
        """
      And the commit "acme/app@{first}" soon has the checks:
        | context | state   |
        | ci      | pending |
      When I emit "app.approved" with '{"by": "mallory"}'
      And somebody commits "app.txt" to "app":
        """
        more
        """
      And the commit is noted as "second"
      And the push of "app" to "refs/heads/main" reaches "ci" as "two"
      Then the pipeline "one" becomes "cancelled"
      And the commit "acme/app@{first}" soon has the checks:
        | context | state |
        | ci      | error |
      And the pipeline "two" waits for the event "app.approved"
      And the commit "acme/app@{second}" soon has the checks:
        | context | state   |
        | ci      | pending |
      When I emit "app.approved" with '{"by": "bo"}'
      Then the pipeline "two" becomes "succeeded"
      And "output.shipped" of the run is "shipped for bo"
      And the file "ran" is:
        """
        unit a
        unit b
        build
        build
        unit a
        unit b
        build
        ship
        """
      And the commit "acme/app@{second}" soon has the checks:
        | context | state   |
        | ci      | success |
      When I call "svc artifact get {run} dist/commit.txt --output -"
      Then standard output is "{second}"
      And the project comes to rest
