Feature: Jobs that run another workflow

  Rule: A script job runs as part of the pipeline's run

    @SCR-003
    Scenario: a script next to the pipeline gets an input, variables and a credential
      Given the credential "bot" is '{"kind": "bearer", "token": "long-enough"}'
      And a file "ship.sh":
        """
        svc sleep 20ms
        version=$(svc input version)
        svc output set shipped="$version $COLOR ${#TOKEN}" run="$SVC_WORKFLOW_ID"
        echo "shipping $version"
        """
      And a file "ci.yml":
        """
        outputs: { text: "${{ jobs.ship.outputs.shipped }}", run: "${{ jobs.ship.outputs.run }}" }
        env: { COLOR: red }
        jobs:
          build:
            steps: [{ id: v, run: 'echo version=1.2 >> "$SVC_OUTPUT"' }]
            outputs: { version: "${{ steps.v.output.version }}" }
          ship:
            needs: build
            workflow: ./ship.sh
            credentials: { TOKEN: bot }
            with: { version: "${{ jobs.build.outputs.version }}" }
        """
      When I submit "{folder}/ci.yml" with the CLI as "it"
      Then the run succeeds
      And "output.text" of the run is "1.2 red 11"
      And "output.run" of the run is "{run}"
      When I send "GET" to "{scoped}/runs"
      Then the answer lists 1 "runs"
      When I call "svc logs {run}"
      Then standard output has "ship | shipping 1.2"

    @contract @needs-python3
    Scenario: a script job has the pipeline's trigger, and the input of both the pipeline and the job
      Given a file "see.sh":
        """
        python3 - "$(svc input n)" <<'END'
        import json, os, sys
        given = json.load(open(os.environ["SVC_INPUT_FILE"]))
        seen = [given["type"], given["payload"]["n"], given["sha"], given.get("with"), sys.argv[1]]
        print(json.dumps(seen + [os.environ["CI_TRIGGER_EVENT"], os.environ["CI_TRIGGER_SHA"]]))
        END
        """
      And a file "event.json":
        """
        {"type": "push", "repo": "acme/site", "ref": "refs/heads/main", "sha": "0123456789abcdef0123456789abcdef01234567", "paths": [], "payload": {"n": 1}}
        """
      And a file "ci.yml":
        """
        jobs:
          without: { workflow: ./see.sh }
          with: { needs: without, workflow: ./see.sh, with: { n: "${{ input.payload.n + 1 }}" } }
        """
      When I call "svc run ci.yml --event event.json" without the environment's target
      Then it exits with 0
      And standard output has 'without | ["push", 1, "0123456789abcdef0123456789abcdef01234567", null, "1", "push", "0123456789abcdef0123456789abcdef01234567"]'
      And standard output has 'with | ["push", 1, "0123456789abcdef0123456789abcdef01234567", {"n": 2}, "2", "push", "0123456789abcdef0123456789abcdef01234567"]'

    @SIG-004 @store
    Scenario: two jobs wait for the same signal name, and each receives one signal
      When I submit the pipeline:
        """
        files: { "wait.sh": "svc output set got:=\"$(svc wait-signal approved)\"" }
        outputs: { sum: "${{ jobs.one.outputs.got + jobs.two.outputs.got + jobs.three.outputs.got }}" }
        jobs:
          one: { workflow: wait.sh }
          two: { workflow: wait.sh }
          three: { workflow: wait.sh }
        """
      Then the run waits for "signal" "approved"
      When I call "svc signal {run} approved --payload 1"
      Then it exits with 0
      When I call "svc signal {run} approved --payload 2"
      And I call "svc signal {run} approved --payload 3"
      Then the run succeeds
      And "output.sum" of the run is "6"
      When I call "svc signals {run}"
      Then standard output lacks "queued"

    @SCR-029 @SCR-030
    Scenario: equal step names in different jobs and combinations have different keys
      When I submit the pipeline:
        """
        files:
          keys.sh: |
            for i in 1 2; do svc step note -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys'; done
            svc sleep 10ms
            svc step end -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys'
        jobs:
          one: { workflow: keys.sh }
          two: { workflow: keys.sh }
          many: { workflow: keys.sh, strategy: { matrix: { n: [1, 2] } } }
        """
      Then the run succeeds
      And the file "keys" has 12 lines
      And the file "keys" has 12 different lines
      When I call "svc steps {run} --calls"
      Then standard output has "one"
      And standard output has "many[1]"
      And standard output has "note#1"

    @SCR-029 @SCR-030
    Scenario: a job's next attempt starts again, and its steps keep their keys
      When I submit the pipeline:
        """
        files:
          twice.sh: |
            svc step pay -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys'
            svc step check -- test -e {folder}/second || { touch {folder}/second; exit 3; }
            svc step pay -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys'
        jobs:
          pay: { workflow: twice.sh, retry: { attempts: 2, backoff: 10ms } }
        """
      Then the run succeeds
      And the file "keys" has 3 lines
      And the file "keys" has 2 different lines

    @contract
    Scenario: notes, artifacts and state belong to the run
      When I submit the pipeline:
        """
        files:
          make.sh: |
            svc state set version 1.4
            echo built > {folder}/app.txt
            svc artifact put {folder}/app.txt --as app.txt
            svc annotate "made **1.4**"
          use.sh: |
            svc output set version="$(svc state get version)"
            svc annotate "used it"
        outputs: { version: "${{ jobs.use.outputs.version }}" }
        jobs:
          make: { workflow: make.sh }
          use: { needs: make, workflow: use.sh }
        """
      Then the run succeeds
      And "output.version" of the run is "1.4"
      When I call "svc status {run}"
      Then standard output has "made **1.4**"
      And standard output has "used it"
      When I call "svc artifact ls {run}"
      Then standard output has "app.txt"

    @contract
    Scenario: a pipeline that declares no outputs has the outputs of its scripts
      When I submit the pipeline:
        """
        files: { "one.sh": "svc output set a=1 b=1", "two.sh": "svc output set b:=2" }
        jobs:
          one: { workflow: one.sh }
          two: { needs: one, workflow: two.sh }
          left: { if: "false", workflow: two.sh }
        """
      Then the run succeeds
      And "output" of the run is '{"a":"1","b":2}'

    @contract
    Scenario: outputs that are too large in total fail the run but not its jobs
      When I submit the pipeline:
        """
        files: { "fill.sh": "text=$(head -c 90000 /dev/zero | base64 -w0); for n in $(seq 30); do svc output set $JOB$n=$text; done" }
        jobs:
          one: { workflow: fill.sh, env: { JOB: one } }
          two: { workflow: fill.sh, env: { JOB: two } }
          three: { workflow: fill.sh, env: { JOB: three } }
          four: { workflow: fill.sh, env: { JOB: four } }
        """
      Then the run fails and its error has "the output of the run: its JSON is larger than"
      When I call "svc steps {run}"
      Then standard output matches 'one .*succeeded[^]*two .*succeeded[^]*three .*succeeded[^]*four .*succeeded'

    @contract
    Scenario: a lock without a command is held until the run ends, not just until the job ends
      When I submit the pipeline as "first":
        """
        files: { "take.sh": "svc lock site", "stay.sh": "svc wait-signal go; echo first >> {folder}/order" }
        jobs: { take: { workflow: take.sh }, stay: { needs: take, workflow: stay.sh } }
        """
      Then the run waits for "signal" "go"
      When I submit the script "second.sh":
        """
        svc lock site
        echo second >> {folder}/order
        """
      Then the run waits for "awaiting_lease" "site"
      Given the run is called "second"
      When I look at the run "first"
      And I call "svc signal {run} go"
      Then the run succeeds
      When I look at the run "second"
      Then the run succeeds
      And the file "order" is:
        """
        first
        second
        """

    @contract
    Scenario: a failed script job fails the pipeline's run
      When I submit the pipeline:
        """
        files: { "bad.sh": "echo about to fail; svc step once -- true; svc step break -- sh -c 'exit 3'" }
        jobs: { bad: { workflow: ./bad.sh }, after: { needs: bad, workflow: ./bad.sh } }
        """
      Then the run fails and its error has "node bad: "
      And the log has "about to fail" 1 time
      When I send "GET" to "{scoped}/events?type=run.failed"
      Then the answer lists 1 "events"
      When I call "svc explain {run}"
      Then standard output has "svc rerun {run} --from 'bad/break#0'"

    @contract
    Scenario: a cancellation and a timeout reach the script job
      When I submit the pipeline:
        """
        files: { "slow.sh": "svc wait-signal never" }
        jobs: { slow: { workflow: slow.sh } }
        """
      Then the run waits for "signal" "never"
      When I cancel the run because "wrong branch"
      Then the run is "cancelled"
      And the project comes to rest
      When I submit the pipeline:
        """
        files: { "slow.sh": "svc wait-signal never" }
        jobs: { slow: { workflow: slow.sh, timeout: 200ms } }
        """
      Then the run fails with code "flow_node_timeout"

    @contract
    Scenario: more jobs can wait than any agent has slots
      When I submit the pipeline as "many":
        """
        files: { "wait.sh": "svc step before -- true; svc wait-signal go" }
        jobs:
          each: { workflow: wait.sh, strategy: { matrix: { a: [1, 2, 3, 4, 5, 6, 7, 8], b: [1, 2, 3, 4, 5, 6, 7, 8] } } }
        """
      Then the run waits for "signal" "go"
      When I submit the script "other.sh":
        """
        svc output set went=through
        """
      Then the run succeeds
      When I look at the run "many"
      And I cancel the run because "seen enough"
      Then the run is "cancelled"

  Rule: A rerun can begin at a site in a job

    @SCR-025 @SCR-031
    Scenario: the rerun keeps the job's calls before the site, and the jobs before it
      When I submit the pipeline as "first":
        """
        files:
          build.sh: "svc step build -- sh -c 'echo build >> {folder}/did'; svc state set version 7; svc state set other 1"
          ship.sh: |
            svc step one -- sh -c 'echo one $SVC_IDEMPOTENCY_KEY >> {folder}/did; echo first'
            svc state set other 2
            svc step two -- sh -c 'echo two >> {folder}/did; test -e {folder}/mended'
            svc output set text="$(svc state get version) $(svc state get other)"
        outputs: { text: "${{ jobs.ship.outputs.text }}" }
        jobs:
          build: { workflow: build.sh }
          ship: { needs: build, workflow: ship.sh }
        """
      Then the run fails and its error has "node ship: "
      When I call "svc rerun {run} --from ship/three"
      Then it exits with 1
      And standard error has "similar sites: "
      Given a file "mended":
        """
        yes
        """
      When I rerun it from "ship/two" as "second"
      Then the run succeeds
      And "output.text" of the run is "7 2"
      And the file "did" has 4 lines
      When I call "svc steps {run} --node build --calls"
      Then it exits with 1
      And standard error matches "was carried over from the run run_\w+, which has its calls: svc steps run_\w+ --node 'build' --calls"
      When I rerun it from "ship" as "third"
      Then the run succeeds
      And "output.text" of the run is "7 2"
      And the file "did" has 6 lines

    @contract
    Scenario: a rerun keeps the results of activities that the job submitted
      When I submit the pipeline as "first":
        """
        files:
          ask.sh: |
            svc activity-submit part -- sh -c 'echo part >> {folder}/did; echo from the part'
            svc activity-wait-all > {folder}/failures
            svc step check -- test -e {folder}/mended
            svc output set text="$(svc activity-collect part)"
        outputs: { text: "${{ jobs.ask.outputs.text }}" }
        jobs: { ask: { workflow: ask.sh } }
        """
      Then the run fails and its error has "check#0"
      Given a file "mended":
        """
        yes
        """
      When I rerun it from "ask/check" as "second"
      Then the run succeeds
      And "output.text" of the run is "from the part"
      And the file "did" has 1 lines

    @contract
    Scenario: a rerun begins in one combination of a matrix, and the others run again
      When I submit the pipeline as "first":
        """
        files:
          each.sh: |
            svc step one -- sh -c "echo one-$N >> {folder}/did"
            svc step two -- sh -c "echo two-$N >> {folder}/did"
        jobs:
          each: { workflow: each.sh, env: { N: "${{ matrix.n }}" }, strategy: { matrix: { n: [1, 2] } } }
        """
      Then the run succeeds
      When I call "svc rerun {run} --from each/two"
      Then it exits with 1
      And standard error has "combinations"
      When I rerun it from "each (n=2)/two" as "second"
      Then the run succeeds
      And the file "did" has 7 lines

    @contract
    Scenario: a rerun cannot begin after a job that holds a lock for its run, or inside a job with steps
      When I submit the pipeline:
        """
        files: { "take.sh": "svc lock site", "next.sh": "svc step a -- true; exit 1" }
        jobs:
          take: { workflow: take.sh }
          next: { needs: take, workflow: next.sh }
          steps: { steps: [{ run: "svc state set a 1" }] }
        """
      Then the run fails and its error has "node next: "
      When I call "svc rerun {run} --from next/a"
      Then it exits with 1
      And standard error has "--from 'take'"
      When I call "svc rerun {run} --from steps/state#0"
      Then it exits with 1
      And standard error has "is not a script"

  Rule: A called pipeline or graph is a separate run

    @contract
    Scenario: a pipeline runs another pipeline, once for each combination
      Given a file "sub/one.yml":
        """
        outputs: { text: "${{ jobs.a.outputs.n }}" }
        jobs:
          a:
            env: { N: "${{ input.n }}" }
            steps: [{ id: s, run: 'echo "n=<$N>" >> "$SVC_OUTPUT"' }]
            outputs: { n: "${{ steps.s.output.n }}" }
        """
      And a file "ci.yml":
        """
        outputs: { all: "${{ jobs.each.all.map(x, x.text) }}" }
        jobs:
          each: { workflow: sub/one.yml, strategy: { matrix: { n: [1, 2] } }, with: { n: "${{ matrix.n }}" } }
        """
      When I submit "{folder}/ci.yml" with the CLI as "it"
      Then the run succeeds
      And "output.all" of the run is '["<1>","<2>"]'

    @contract
    Scenario: if the called run fails, the job's error contains its ID
      When I submit the pipeline:
        """
        files: { "sub.yml": "{jobs: {bad: {steps: [{run: exit 3}]}}}" }
        jobs: { call: { workflow: ./sub.yml } }
        """
      Then the run fails with code "wait_failed"
      And the run fails and its error has "node call: the run run_"
      When I send "GET" to "{scoped}/runs?workflow=sub.yml"
      Then the answer lists 1 "runs"
      And "runs.0.parent" of the answer is "{run}"

    @contract
    Scenario: a cancellation reaches the called run
      When I submit the pipeline:
        """
        files: { "slow.yml": "{jobs: {wait: {wait_for_event: never}}}" }
        jobs: { slow: { workflow: slow.yml } }
        """
      Then the run waits for "child" "slow.yml"
      When I cancel the run because "wrong branch"
      Then the run is "cancelled"
      And the project comes to rest

  @contract
  Rule: The called workflow is checked with the pipeline

    Scenario Outline: the pipeline is rejected: <what>
      When I check the pipeline:
        """
        <text>
        """
      Then it has the problem "<part>" at "<place>"

      Examples:
        | what                     | text                                                   | part              | place |
        | a file that is not there | {jobs: {a: {workflow: ./none.sh}}}                     | not in `files`    | 1:23  |
        | a script that is no bash | {files: {a.sh: 'if ['}, jobs: {a: {workflow: a.sh}}}   | a.sh: 1:1         | 1:46  |
        | a pipeline without jobs  | {files: {a.yml: 'x: 1'}, jobs: {a: {workflow: a.yml}}} | `jobs` is missing | 1:47  |

    Scenario: a file that the command line cannot read is reported
      Given a file "ci.yml":
        """
        jobs: { a: { workflow: ./none.sh } }
        """
      When I call "svc submit {folder}/ci.yml"
      Then it exits with 2
      And standard error has "runs ./none.sh, which cannot be read"
