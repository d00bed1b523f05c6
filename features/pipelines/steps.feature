@contract
Feature: Steps of a job

  Rule: The steps of a job share one new workspace

    Scenario: all steps use one folder, which is removed with the job
      When I submit the pipeline:
        """
        jobs:
          one:
            steps:
              - run: test "$(ls -A)" = ""; mkdir -p deep/er; echo kept > deep/file; pwd > {folder}/place
              - run: cat file; test "$(pwd)" = "$SVC_WORKSPACE/deep"
                working_directory: deep
              - run: exit 1
                working_directory: ${{ '..' }}/..
                continue_on_error: true
              - run: test ! -e nothing
          two:
            needs: one
            steps: [{ run: 'test "$(ls -A)" = ""; test ! -e "$(cat {folder}/place)"' }]
        """
      Then the run succeeds
      And the log has "kept"

    Scenario: bash -eu runs each step, and the log shows the step's name
      When I submit the pipeline:
        """
        jobs:
          build:
            steps:
              - { name: first, run: "echo one; false; echo two", continue_on_error: true }
              - { id: second, run: "echo $NOT_SET", continue_on_error: true }
              - { id: skipped, if: "steps.second.status == 'succeeded'", run: echo SKIPPED }
              - { run: "echo ${{ steps.second.exit_code }} ${{ steps.skipped.status }}" }
        """
      Then the run succeeds
      And the log has "[build] first: failed, and the job continues"
      And the log has "[build] skipped: skipped"
      And the log has "1 skipped"
      And the log lacks "two"
      And the log lacks "SKIPPED"

    Scenario: after a failure, later steps are skipped unless they always run
      When I submit the pipeline:
        """
        jobs:
          build:
            steps:
              - run: exit 4
              - run: echo LEFT OUT
              - { always: true, run: echo "always wanted" }
        """
      Then the run fails with code "step_failed"
      And the log has "always wanted"
      And the log lacks "LEFT OUT"

  Rule: A step passes values to later steps through $SVC_OUTPUT

    Scenario: outputs can have several lines and typed values
      When I submit the pipeline:
        """
        outputs: { o: "${{ jobs.make.outputs }}" }
        jobs:
          make:
            steps:
              - id: values
                run: |
                  printf 'a=1=2\nempty=\ntext<<END\nline 1\nline 2\nEND\n' >> "$SVC_OUTPUT"
                  svc output set n:=7
            outputs:
              a: ${{ steps.values.output.a }}
              both: "${{ steps.values.output.a }}/${{ steps.values.output.n }}"
              n: ${{ steps.values.output.n }}
              text: ${{ steps.values.output.text }}
              list: ["${{ steps.values.output.n + 1.0 }}", x]
        """
      Then the run succeeds
      And "output.o" of the run is '{"a":"1=2","both":"1=2/7","n":7,"text":"line 1\nline 2","list":[8,"x"]}'

    Scenario: an invalid line fails the step and is reported
      When I submit the pipeline:
        """
        jobs: { make: { steps: [{ run: "echo 'a=1\nnothing' >> $SVC_OUTPUT; printf 'a=1\nnothing' > $SVC_OUTPUT" }] } }
        """
      Then the run fails with code "step_invalid"
      And the run fails and its error has "line 2 of $SVC_OUTPUT"

  Rule: A step can be retried, and is killed when it times out

    Scenario: a step is retried until an attempt succeeds
      When I submit the pipeline:
        """
        jobs:
          make:
            steps:
              - run: echo try >> {folder}/tries; test $(wc -l < {folder}/tries) = 3
                retry: { attempts: 3, backoff: 10ms }
        """
      Then the run succeeds
      And the file "tries" has 3 lines

    Scenario: a timeout ends the step's process group
      When I submit the pipeline:
        """
        jobs:
          make:
            steps:
              - { name: slow, timeout: 3s, run: "sleep 600 & echo $! >> {folder}/pids; echo $$ >> {folder}/pids; wait" }
        """
      Then the run fails with code "step_timeout"
      And the processes of the file "pids" are gone

    Scenario: a job's timeout and a cancellation end its processes
      When I submit the pipeline:
        """
        jobs: { make: { timeout: 8s, steps: [{ run: "echo $$ >> {folder}/pids; sleep 600" }] } }
        """
      Then the run fails with code "flow_node_timeout"
      And the processes of the file "pids" are gone
      Given a gate "begun"
      When I submit the pipeline:
        """
        jobs: { make: { steps: [{ run: "echo $$ >> {folder}/more; read _ < {folder}/begun; sleep 600" }] } }
        """
      And I open the gate "begun"
      And I cancel the run because "wrong branch"
      Then the run is "cancelled"
      And the processes of the file "more" are gone

  Rule: Each line of a log can show its time

    Scenario Outline: each line shows its job's name and time, <how>
      When I submit the pipeline:
        """
        jobs:
          one: { steps: [{ name: greet, run: "echo hello; printf 'no end'" }] }
          two: { steps: [{ run: "echo world >&2" }] }
        """
      Then the run succeeds
      When I call "svc logs {run} <flags>"
      Then it exits with 0
      And the log that it printed has "^20..-..-..T..:..:..[.].*Z one [|] hello$"
      And the log that it printed has "^20..-..-..T..:..:..[.].*Z one [|] no end$"
      And the log that it printed has "^20..-..-..T..:..:..[.].*Z two [|] world$"
      And the log that it printed has "^20..-..-..T..:..:..[.].*Z one [|] .one. greet$"

      Examples:
        | how             | flags                 |
        | as it is stored | --timestamps          |
        | followed        | --timestamps --follow |

    Scenario: each line of a script's log shows only its time
      When I submit the script "job.sh":
        """
        printf 'be'; printf 'gun\nover\n'
        """
      Then the run succeeds
      When I call "svc logs {run} -t"
      Then the log that it printed has "^20..-..-..T..:..:..[.].*Z begun$"
      And the log that it printed has "^20..-..-..T..:..:..[.].*Z over$"
