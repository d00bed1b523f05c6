@store
Feature: Jobs that wait for an event

  Rule: A wait_for_event job receives the next event of its type

    @DLV-003 @HAND-057 @WAIT-014
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

    @WAIT-004 @WAIT-005 @WAIT-006 @WAIT-007
    Scenario Outline: a predicate can read the event but not <name>
      When I check the pipeline:
        """
        vars: { x: 1 }
        jobs: { approval: { wait_for_event: asked, when: <name>.x == 1 } }
        """
      Then it has the problem "unknown name `<name>`: allowed: event" at "2:50"

      Examples:
        | name  |
        | steps |
        | vars  |
        | run   |
        | jobs  |
        | input |

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
