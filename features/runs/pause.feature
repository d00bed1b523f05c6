@contract
Feature: Runs are paused and resumed

  Rule: Nothing new starts in a paused run, and work in progress finishes

    @store
    Scenario: a script stops after the current step, and continues when it is resumed
      Given a gate "open"
      When I submit the script "deploy.sh":
        """
        svc step first -- sh -c 'read -r said < {folder}/open; echo first'
        svc step second -- echo second
        """
      Then the run soon shows "first#0" as running
      When I call "svc pause {run} --reason 'database upgrade'"
      Then it exits with 0
      And standard output matches "paused +.+ by .+: database upgrade"
      When I open the gate "open"
      Then the step "first#0" is soon recorded
      And no agent soon works on the run
      When I call "svc steps {run} --json"
      Then standard output lacks "second#0"
      When I call "svc explain {run}"
      Then standard output matches "The run was paused by .+ ago, at .+: database upgrade"
      And standard output has "svc resume {run}"
      When I call "svc runs ls --paused"
      Then standard output matches "{run} +running, paused"
      When I call "svc resume {run}"
      Then it exits with 0
      And standard output lacks "paused"
      And the run succeeds
      And the recorded steps are:
        | site     | kind | exit | stdout   |
        | first#0  | step | 0    | first\n  |
        | second#0 | step | 0    | second\n |
      When I call "svc audit ls --json"
      Then standard output has "run.pause"
      And standard output has "run.resume"

    Scenario: timers continue, and signals are recorded, while a run is paused
      When I submit the script "waits.sh":
        """
        svc sleep 200ms
        go=$(svc wait-signal go)
        svc step went -- echo "$go"
        """
      When I call "svc pause {run}"
      Then it exits with 0
      When I send the signal "go" with "7"
      And I call "svc resume {run}"
      Then the run succeeds
      And the log has "7"

    Scenario: a run is submitted paused and starts when it is resumed
      Given a file "later.sh":
        """
        svc step only -- echo ran
        """
      When I submit "later.sh --paused" with the CLI as "later"
      And I call "svc status {run}"
      Then standard output matches "status +queued, paused"
      And standard output matches "paused +.+ by "
      When I call "svc pause {run}"
      Then it exits with 0
      When I call "svc resume {run}"
      Then the run succeeds

    Scenario: a paused run can be cancelled, and a run that has ended cannot be paused
      Given a file "later.sh":
        """
        svc step only -- echo ran
        """
      When I submit "later.sh --paused" with the CLI as "later"
      And I cancel the run because "not needed"
      Then the run is "cancelled"
      When I call "svc pause {run}"
      Then it exits with 1
      And standard error has "run_finished"
      When I call "svc resume {run}"
      Then it exits with 1

    Scenario: a run that waits for a paused run shows this
      Given a file "hold.sh":
        """
        svc wait-signal go
        """
      When I submit "hold.sh --concurrency-group deploy" with the CLI as "first"
      Then the run waits for "signal" "go"
      And "run_id" of the run is noted as "first"
      When I call "svc pause {first}"
      And I submit "hold.sh --concurrency-group deploy" with the CLI as "second"
      And I call "svc explain {run}"
      Then standard output matches "The run {first} holds it and was paused by .+ ago: it keeps the lock until it is resumed"
      And standard output has "svc resume {first}"
      When I call "svc runs cancel --workflow hold.sh --yes"
      Then it exits with 0

  Rule: Graphs, pipelines and called runs are paused too

    Scenario: the nodes of a paused graph begin when it is resumed
      Given a file "two.json":
        """
        {"version":"svc-graph/v1","nodes":[
          {"id":"wait","type":"wait_signal","config":{"name":"go"}},
          {"id":"tell","type":"emit","config":{"type":"told.all"}}],
         "edges":[{"from":"wait","to":"tell"}]}
        """
      When I submit "two.json" with the CLI as "graph"
      Then the run waits for "signal" "go"
      When I call "svc pause {run}"
      And I send the signal "go" with "null"
      And I call "svc steps {run}"
      Then standard output matches "wait .*succeeded"
      And standard output matches "tell +emit +waiting"
      When I call "svc events ls --json"
      Then standard output lacks "told.all"
      When I call "svc resume {run}"
      Then the run succeeds
      When I call "svc events ls --json"
      Then standard output has "told.all"

    Scenario: a graph that is submitted paused stays queued
      Given a file "one.json":
        """
        {"version":"svc-graph/v1","nodes":[{"id":"tell","type":"emit","config":{"type":"told.one"}}],"edges":[]}
        """
      When I submit "one.json --paused" with the CLI as "graph"
      And I call "svc status {run}"
      Then standard output matches "status +queued, paused"
      When I call "svc resume {run}"
      Then the run succeeds

    @store
    Scenario: the runs that a paused run has called are paused and resumed with it
      When I submit the script "caller.sh" as "caller":
        """
        svc call graph --definition - <<'END'
        {"version":"svc-graph/v1","nodes":[
          {"id":"wait","type":"wait_signal","config":{"name":"go"}},
          {"id":"tell","type":"emit","config":{"type":"told.called"}}],
         "edges":[{"from":"wait","to":"tell"}]}
        END
        """
      Then the run waits for a called run, which is noted as "called"
      When I call "svc pause {run}"
      Then the run "{called}" is soon paused
      When I call "svc explain {called}"
      Then standard output has "together with the run {run}, which called it"
      When I call "svc signal {called} go"
      And I call "svc resume {run}"
      Then the run succeeds

  Rule: Many runs are paused and resumed with a filter

    Scenario: runs of one workflow are paused and resumed
      When I submit the script "many.sh" as "one":
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I submit the script "many.sh" as "two":
        """
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I call "svc runs pause --workflow many.sh"
      Then it exits with 0
      And standard error has "nothing was done: add --yes to pause 2 runs"
      When I call "svc runs pause --workflow many.sh --yes"
      Then standard error has "2 runs: 2 paused"
      When I call "svc runs pause --workflow many.sh --yes"
      Then standard error has "2 runs: 2 already paused"
      When I call "svc runs resume --all --yes"
      Then standard error has "2 runs: 2 resumed"
      When I call "svc runs resume --all --yes"
      Then standard error has "no runs to resume"
      When I call "svc runs cancel --workflow many.sh --yes"
      Then it exits with 0
