Feature: Jobs of a pipeline

  Rule: A pipeline is a kind of workflow, like a script

    @OVW-009 @OVW-012
    Scenario: each kind is recognized by its document
      When I submit the pipeline:
        """
        name: nightly
        tags: ["team:core"]
        jobs:
          hello:
            steps:
              - run: echo "hello from a job"
          bye:
            needs: hello
            steps:
              - run: echo "hello has ${{ jobs.hello.status }}"
        """
      Then the run succeeds
      And the log has "hello from a job"
      And the log has "hello has succeeded"
      And "kind" of the run is "pipeline"
      And "workflow" of the run is "nightly"
      And "tags" of the run is '["team:core"]'
      When I submit the script "job.sh":
        """
        true
        """
      Then the run succeeds
      And "kind" of the run is "script"

    @CLI-046 @CLI-048
    Scenario Outline: --as <as> sets the kind when the file name does not
      Given a file "ci.txt":
        """
        jobs:
          one: { steps: [{ run: echo "it is a pipeline" }] }
        """
      When I submit "{folder}/ci.txt --as <as>" with the CLI as "it"
      Then the run succeeds
      And "kind" of the run is "pipeline"
      And the log has "it is a pipeline"

      Examples:
        | as       |
        | pipeline |
        | yaml     |

    @ERR-010
    Scenario: a submission cannot pass credentials to a pipeline
      Given the credential "bot" is '{"kind": "bearer", "token": "long-enough"}'
      And a file "ci.yml":
        """
        jobs: { one: { steps: [{ run: "true" }] } }
        """
      When I call "svc submit {folder}/ci.yml --credential TOKEN=bot"
      Then it exits with 1
      # @contract
      And standard error has "names its credentials in its document"
      When I send "GET" to "{scoped}/runs"
      Then "runs" of the answer is "[]"

    @VERB-030
    Scenario: a script spawns a pipeline
      When I submit the script "parent.sh":
        """
        printf 'jobs: { a: { steps: [{ run: echo spawned with tea }] } }' > {folder}/child.txt
        svc output set child="$(svc spawn {folder}/child.txt --as pipeline)"
        """
      Then the run succeeds
      And "output.child" of the run is noted as "child"
      When I look at the spawned run "{child}"
      Then the run succeeds
      And "kind" of the run is "pipeline"
      And the log has "spawned with tea"

  @contract
  Rule: Jobs begin when their needs are met

    Scenario: jobs run in order, in parallel and after a failure, or are skipped
      When I submit the pipeline:
        """
        vars: { channel: stable }
        jobs:
          last:
            needs: [left, right]
            steps: [{ run: "cat {folder}/left {folder}/right" }]
          left: { needs: first, steps: [{ run: "cat {folder}/first > {folder}/left" }] }
          right: { needs: first, steps: [{ run: "cat {folder}/first > {folder}/right" }] }
          first: { steps: [{ run: "echo begun > {folder}/first" }] }
          never: { if: "vars.channel == 'beta'", steps: [{ run: echo NEVER }] }
          nor: { needs: never, steps: [{ run: echo NOR }] }
        """
      Then the run succeeds
      And the log has "begun" 2 times
      And the log lacks "NEVER"
      And the log lacks "NOR"

    Scenario: a failure stops only the jobs that depend on the failed job
      When I submit the pipeline:
        """
        jobs:
          bad: { steps: [{ name: compile, run: "echo 'no such header' >&2; exit 3" }] }
          after: { needs: bad, steps: [{ run: echo AFTER }] }
          other: { steps: [{ run: echo "the other job ran" }] }
          clean: { needs: bad, always: true, if: "jobs.bad.status == 'failed'", steps: [{ run: echo "cleaned up" }] }
        """
      Then the run fails with code "step_failed"
      And the run fails and its error has "compile ended with exit code 3"
      And the run fails and its error has "no such header"
      And the log has "the other job ran"
      And the log has "cleaned up"
      And the log lacks "AFTER"

    Scenario: continue_on_error turns a failure into data, and retry repeats the job
      When I submit the pipeline:
        """
        jobs:
          bad: { continue_on_error: true, steps: [{ run: exit 1 }] }
          flaky:
            needs: bad
            retry: { attempts: 3, backoff: 10ms }
            steps: [{ run: "echo try >> {folder}/tries; test $(wc -l < {folder}/tries) = 3" }]
        """
      Then the run succeeds
      And the file "tries" has 3 lines

  @contract
  Rule: A matrix runs a job once for each combination

    Scenario: a matrix can include and exclude combinations, and its outputs are read
      When I submit the pipeline:
        """
        outputs: { last: "${{ jobs.build.outputs.text }}", all: "${{ jobs.build.all.map(x, x.text) }}" }
        jobs:
          build:
            strategy:
              matrix:
                os: [a, b]
                node: [20, 22]
                exclude: [{ os: b, node: 20 }]
                include: [{ os: c, node: 24 }]
              max_parallel: 2
            steps:
              - id: name
                env: { OS: "${{ matrix.os }}", NODE: "${{ matrix.node }}" }
                run: echo "text=$OS$NODE" >> "$SVC_OUTPUT"
            outputs: { text: "${{ steps.name.output.text }}", node: "${{ matrix.node }}" }
        """
      Then the run succeeds
      And "output.all" of the run is '["a20","a22","b22","c24"]'
      And "output.last" of the run is "c24"

  @contract
  Rule: A rerun of a failed pipeline keeps the jobs that succeeded

    Scenario: svc rerun keeps succeeded jobs, and --all runs everything again
      When I submit the pipeline:
        """
        outputs: { version: "${{ jobs.ship.outputs.version }}" }
        jobs:
          build:
            steps: [{ id: make, run: "echo build >> {folder}/done; echo version=7 >> $SVC_OUTPUT" }]
            outputs: { version: "${{ steps.make.output.version }}" }
          ship:
            needs: build
            steps:
              - id: put
                env: { V: "${{ jobs.build.outputs.version }}" }
                run: "echo ship >> {folder}/done; test -e {folder}/mended; echo version=$V >> $SVC_OUTPUT"
            outputs: { version: "${{ steps.put.output.version }}" }
        """
      Then the run fails and its error has "ship"
      Given a file "mended":
        """
        yes
        """
      And the run is called "first"
      When I call "svc rerun {run}"
      Then it exits with 0
      And the run that was printed succeeds
      And the file "done" is:
        """
        build
        ship
        ship
        """
      When I call "svc status @last --json"
      Then standard output is JSON whose "output.version" is "7"
      When I look at the run "first"
      And I call "svc rerun {run} --all"
      Then it exits with 0
      And the run that was printed succeeds
      And the file "done" has 5 lines
      When I call "svc rerun {run} --all --from ship"
      Then it exits with 1
      And standard error has "use only one of them"
