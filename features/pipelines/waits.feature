Feature: Jobs that wait for an event

  Rule: A wait_for_event job receives the next event of its type

    @DLV-003 @HAND-057 @WAIT-014 @store
    Scenario: the job needs no agent, and its output is the envelope
      When I submit the pipeline:
        """
        outputs: { sha: "${{ jobs.approval.outputs.payload.sha }}", type: "${{ jobs.approval.outputs.type }}" }
        jobs:
          approval: { wait_for_event: deploy.approved }
          ship:
            needs: approval
            env: { SHA: "${{ jobs.approval.outputs.payload.sha }}" }
            steps: [{ run: echo "shipping $SHA" }]
        """
      Then the run waits for "event" "deploy.approved"
      When I emit "deploy.approved" with '{"sha": "abc"}'
      Then the run succeeds
      And the log has "shipping abc"
      And "output" of the run is '{"sha":"abc","type":"deploy.approved"}'

    @HAND-057 @HAND-058
    Scenario: a signal can end the wait manually
      When I submit the pipeline:
        """
        jobs:
          approval: { wait_for_event: deploy.approved }
          ship: { needs: approval, steps: [{ run: "echo by hand: ${{ jobs.approval.outputs.by }}" }] }
        """
      Then the run waits for "event" "deploy.approved"
      When I call "svc signal {run} event:approval --payload '{\"by\":\"ann\"}'"
      Then it exits with 0
      And the run succeeds
      And the log has "by hand: ann"

    @contract
    Scenario: the wait can time out
      When I submit the pipeline:
        """
        jobs: { approval: { wait_for_event: deploy.approved, timeout: 100ms } }
        """
      Then the run fails with code "wait_timeout"

  Rule: A predicate decides which event the job accepts

    @WAIT-001 @WAIT-002 @WAIT-008 @WAIT-011
    Scenario Outline: a job's predicate is written <what>
      When I submit the pipeline:
        """
        outputs: { n: "${{ jobs.approval.outputs.payload.n }}" }
        jobs:
          approval:
            wait_for_event: deploy.approved
            when: <when>
        """
      Then the run waits for "event" "deploy.approved"
      When I emit "deploy.approved" with '{"n": 1, "sha": "other"}'
      And I emit "deploy.approved" with '{"n": 2}'
      And I emit "deploy.approved" with '{"n": 3, "sha": "abc"}'
      Then the run succeeds
      And "output.n" of the run is "3"

      Examples:
        | what         | when                                  |
        | bare         | event.payload.sha == 'abc'            |
        | within holes | "${{ event.payload.sha == 'abc' }}"   |

    @contract
    Scenario: a predicate reads the data of the run as it is when the wait begins
      When I submit the pipeline with '{"input": {"env": "live"}}':
        """
        vars: { least: 2 }
        outputs: { n: "${{ jobs.approval.outputs.payload.n }}" }
        jobs:
          build:
            steps: [{ id: make, run: svc output set digest=abc id:=7 }]
            outputs: { digest: "${{ steps.make.output.digest }}", id: "${{ steps.make.output.id }}" }
          approval:
            needs: build
            wait_for_event: deploy.approved
            when: >-
              event.payload.digest == jobs.build.outputs.digest && event.payload.id == jobs.build.outputs.id
              && event.payload.env == input.env && event.payload.n >= vars.least && event.payload.run == run.id
        """
      Then the run waits for "event" "deploy.approved"
      When I emit "deploy.approved" with '{"digest": "other", "id": 7, "env": "live", "n": 2, "run": "{run}"}'
      And I emit "deploy.approved" with '{"digest": "abc", "id": 8, "env": "live", "n": 3, "run": "{run}"}'
      And I emit "deploy.approved" with '{"digest": "abc", "id": 7, "env": "live", "n": 4, "run": "other"}'
      Then the run waits for "event" "deploy.approved"
      When I emit "deploy.approved" with '{"digest": "abc", "id": 7, "env": "live", "n": 5, "run": "{run}"}'
      Then the run succeeds
      And "output.n" of the run is "5"

    @contract
    Scenario: each combination of a matrix waits for its own event
      When I submit the pipeline:
        """
        outputs: { by: "${{ jobs.approval.all }}" }
        jobs:
          approval:
            strategy: { matrix: { region: [eu, us] } }
            wait_for_event: deploy.approved
            when: event.payload.region == matrix.region
        """
      Then the run waits for "event" "deploy.approved"
      When I emit "deploy.approved" with '{"region": "us", "by": "ana"}'
      And I emit "deploy.approved" with '{"region": "eu", "by": "bo"}'
      Then the run succeeds
      And "output.by.0.payload.by" of the run is "bo"
      And "output.by.1.payload.by" of the run is "ana"

    @contract
    Scenario: a value that does not exist fails the job, but a predicate can test whether it exists
      When I submit the pipeline:
        """
        jobs:
          build: { steps: [{ run: "true" }] }
          maybe: { needs: build, wait_for_event: go, when: "!has(jobs.build.outputs.id) && event.payload == 1" }
          approval: { needs: maybe, wait_for_event: asked, when: event.payload == jobs.build.outputs.id }
        """
      Then the run waits for "event" "go"
      When I emit "go" with "1"
      Then the run fails with code "wait_value_missing"
      And the run fails and its error has "jobs.build.outputs.id"

    @WAIT-005
    Scenario Outline: a predicate cannot read <what>
      When I check the pipeline:
        """
        vars: { x: 1 }
        jobs: { build: { steps: [{ run: "true" }] }, approval: { wait_for_event: asked, when: <when> } }
        """
      Then it has the problem "<says>" at "2:87"

      Examples:
        | what                              | when                       | says |
        | steps                             | steps.x == 1               | unknown name `steps`: allowed: event, input, vars, run, env, matrix, jobs |
        | a variable that is not declared   | event.payload == vars.xy   | there is no `vars.xy` |
        | a job that it does not need       | jobs.build.status == event | `jobs.build` is not in the `needs` of this job |
        | a field that no run has           | run.idd == event           | there is no `run.idd` |

    @WAIT-010 @LIM-010
    Scenario: declined events do not extend the timeout
      When I submit the pipeline:
        """
        jobs: { approval: { wait_for_event: asked, when: event.payload == 'yes', timeout: 3s } }
        """
      Then the run waits for "event" "asked"
      And "substate.deadline" of the run is noted as "deadline"
      When I emit "asked" with '"no"'
      And I emit "asked" with '"no"'
      Then the run waits for "event" "asked"
      And "substate.deadline" of the run is "{deadline}"
      And the run fails with code "wait_timeout"

    @LIM-010
    Scenario: a wait that is parked again keeps its first deadline
      When I submit the pipeline:
        """
        jobs:
          slow: { wait_for_event: go, timeout: 12s }
          meanwhile: { wait_for_event: other }
          work: { needs: meanwhile, steps: [{ run: "echo worked >> {folder}/worked" }] }
          again: { needs: work, wait_for_event: more }
        """
      Then the run waits for "event" "other"
      And the deadline of the job "slow" is noted as "first"
      When I emit "other"
      Then the run waits for "event" "more"
      And the file "worked" has 1 line
      And the deadline of the job "slow" is "{first}"
      When I emit "more"
      Then the run waits for "event" "go"
      And the deadline of the job "slow" is "{first}"
      And the run fails with code "wait_timeout"
      And the job "slow" ended within 5 seconds of "{first}"

  Rule: An event with another subject does not reach the run

    @SUBJ-007
    Scenario: events for another repository are ignored
      When I submit the pipeline with '{"subject": "acme/site"}':
        """
        outputs: { n: "${{ jobs.approval.outputs.payload }}" }
        jobs: { approval: { wait_for_event: deploy.approved } }
        """
      Then the run waits for "event" "deploy.approved"
      When I emit "deploy.approved" for "acme/other" with "1"
      And I emit "deploy.approved" for "acme/site" with "2"
      Then the run succeeds
      And "output.n" of the run is "2"

    @contract
    Scenario: cancel_on cancels the run
      When I submit the pipeline:
        """
        cancel_on: [deploy.abort]
        jobs: { approval: { wait_for_event: deploy.approved } }
        """
      Then the run waits for "event" "deploy.approved"
      When I emit "deploy.abort"
      Then the run is "cancelled"
