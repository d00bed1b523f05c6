Feature: A finished run is rerun, from the beginning or from a site

  Rule: A rerun is a new run with the same inputs

    @contract
    Scenario: the rerun has the first run's document, input, environment, tags and subject
      When I submit the script "first.sh" with the options '{"input": {"n": 1}, "env": {"GREETING": "hello"}, "tags": ["team:core"], "subject": "acme/site"}':
        """
        echo "$GREETING" > {folder}/greeting
        cp "$SVC_INPUT_FILE" {folder}/input
        svc step once -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys'
        svc output set ok=yes
        """
      Then the run succeeds
      Given the run is called "first"
      When I rerun it as "second"
      Then the run succeeds
      And "rerun_of" of the run is the run "first"
      And "tags" of the run is '["team:core"]'
      And "subject" of the run is "acme/site"
      And "trigger.type" of the run is "manual"
      And "workflow" of the run is "first.sh"
      And "generation" of the run is "0"
      And "trusted" of the run is "true"
      And the file "greeting" has "hello"
      And the file "input" has '"input":{"n":1}'
      And the file "keys" has 2 lines
      And the file "keys" has 2 different lines

    @CLI-055
    Scenario: svc rerun prints the ID of the new run
      When I submit the script "cli.sh":
        """
        for s in a b; do svc step $s -- sh -c "echo $s >> {folder}/done"; done
        """
      Then the run succeeds
      When I call "svc rerun {run} --from b"
      Then it exits with 0
      And standard output matches "^run_[0-9A-Z]{26}\n$"
      And the run that was printed succeeds
      And the file "done" is:
        """
        a
        b
        b
        """

  Rule: Calls recorded before the site are not repeated

    @SCR-025 @SCR-026 @SCR-031 @SCR-068 @SCR-069
    Scenario: a rerun starts from a later occurrence, from a name without a number, or from the first line
      When I submit the script "sites.sh":
        """
        echo line >> {folder}/lines
        date +%s%N > {folder}/now
        svc step before -- cat {folder}/now > {folder}/before
        for i in 0 1 2 3; do svc step check -- sh -c "echo $i >> {folder}/checks; echo \"$i \$SVC_IDEMPOTENCY_KEY\" >> {folder}/keys"; done
        """
      Then the run succeeds
      Given the run is called "first"
      And the file "before" is kept as "kept"
      When I rerun it from "check#2" as "second"
      Then the run succeeds
      And the file "lines" has 2 lines
      And the file "before" is the same as "kept"
      And the file "checks" is:
        """
        0
        1
        2
        3
        2
        3
        """
      And the file "keys" has 6 different lines
      When I look at the run "first"
      And I rerun it from "check" as "third"
      Then the run succeeds
      And the file "checks" has 10 lines

    @contract
    Scenario: waits before the site keep their outcomes
      When I submit the script "waits.sh":
        """
        svc sleep 50ms
        word=$(svc wait-signal go)
        svc state set key "$word"
        svc state set other first
        svc step middle -- echo "$word"
        svc state set other second
        svc step end -- sh -c 'echo "$0 $1" >> {folder}/ends' "$(svc state get key)" "$(svc state get other)"
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with '"ann"'
      Then the run succeeds
      When I rerun it from "end" as "second"
      Then the run succeeds
      And the file "ends" is:
        """
        "ann" second
        "ann" second
        """
      And the log lacks "ann"

    @contract
    Scenario: the run's state is as it was at the site
      When I submit the script "cells.sh":
        """
        svc state set a one
        svc state set b gone
        svc step here -- sh -c 'true'
        svc step show -- echo "$(svc state get a) $(svc state list | tr '\n' ' ')"
        svc state set a two
        svc state delete b
        """
      Then the run succeeds
      When I rerun it from "here" as "second"
      Then the run succeeds
      And the log has "one a b"

    @contract
    Scenario: a rerun can be rerun, and can start from the first site
      When I submit the script "again.sh":
        """
        for s in a b c; do svc step $s -- sh -c "echo $s >> {folder}/done"; done
        """
      Then the run succeeds
      When I rerun it from "c" as "second"
      Then the run succeeds
      When I rerun it from "b" as "third"
      Then the run succeeds
      When I rerun it from "a" as "fourth"
      Then the run succeeds
      And "rerun_of" of the run is the run "third"
      And the file "done" has 9 lines

    @contract
    Scenario: a failed run continues where it failed
      When I submit the script "repaired.sh":
        """
        svc step build -- sh -c 'echo build >> {folder}/done'
        svc step deploy -- sh -c 'echo deploy >> {folder}/done; test -e {folder}/repaired'
        """
      Then the run fails with code "script_failed"
      Given a file "repaired":
        """
        yes
        """
      When I rerun it from "deploy" as "second"
      Then the run succeeds
      And the file "done" is:
        """
        build
        deploy
        deploy
        """

  @contract
  Rule: A rerun can have another input

    Scenario: the input is checked as at submission, and gets the defaults
      Given a file "ship.sh":
        """
        # svc:inputs service: string, replicas: integer = 1
        svc step ask -- true
        svc input >> {folder}/inputs
        """
      When I call "svc submit ship.sh --service shop --replicas 4"
      And I look at the run on standard output
      Then the run succeeds
      When I send "POST" to "{scoped}/runs/{run}/rerun" with:
        """
        {"input": {"replicas": "many"}}
        """
      Then the answer is 422 with code "input_invalid"
      And "errors.0.pointer" of the answer is "/input/service"
      And "errors.1.pointer" of the answer is "/input/replicas"
      When I call "svc rerun {run} --input service=blog --follow"
      Then it exits with 0
      When I call "svc rerun {run} --from ask --input service=wiki replicas:=2 --follow"
      Then it exits with 0
      And the file "inputs" is:
        """
        {"service":"shop","replicas":4}
        {"service":"blog","replicas":1}
        {"service":"wiki","replicas":2}
        """

    Scenario: a pipeline with another input runs everything again, unless the rerun names a job to begin at
      Given a file "ci.yml":
        """
        inputs: { ok: boolean = false }
        outputs: { build: "${{ jobs.build.outputs.ok }}", ship: "${{ jobs.ship.outputs.ok }}" }
        jobs:
          build:
            steps: [{ id: s, run: 'svc output set ok:="$(svc input ok)"' }]
            outputs: { ok: "${{ steps.s.output.ok }}" }
          ship:
            needs: [build]
            steps: [{ id: s, run: 'svc output set ok:="$(svc input ok)"; test "$(svc input ok)" = true' }]
            outputs: { ok: "${{ steps.s.output.ok }}" }
        """
      When I call "svc submit ci.yml"
      And I look at the run on standard output
      Then the run fails with code "step_failed"
      Given the run is called "first"
      When I send "POST" to "{scoped}/runs/{run}/rerun" with:
        """
        {"input": {"ok": true, "more": 1}, "from": "ship"}
        """
      Then the answer is 422 with code "input_invalid"
      When I rerun it from "ship" with the input '{"ok": true}'
      Then the run succeeds
      And "output" of the run is '{"build":false,"ship":true}'
      When I look at the run "first"
      And I rerun it with the input '{"ok": true}'
      Then the run succeeds
      And "output" of the run is '{"build":true,"ship":true}'

    Scenario: a rerun keeps the event that started the run, next to the new input
      Given the handler "ship" on "deploy.requested" runs "ship.sh":
        """
        # svc:inputs service: string
        svc output set service="$(svc input service)" first="$(svc input --envelope payload.service)"
        """
      When somebody emits "deploy.requested" with '{"payload": {"service": "shop"}}'
      Then the project comes to rest
      And the handler "ship" succeeds
      When I rerun it with the input '{"service": "blog"}'
      Then the run succeeds
      And "output" of the run is '{"service":"blog","first":"shop"}'
