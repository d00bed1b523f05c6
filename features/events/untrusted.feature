@contract
Feature: Events emitted by untrusted runs

  Rule: An untrusted run's event ends a trusted run's wait only if the wait allows it, and cancels no trusted run

    @needs-cc
    Scenario: an untrusted event is recorded and marked, and does not affect trusted runs
      Given the handler "listens" on "build.done" runs "listens.sh":
        """
        svc output set trusted="$(grep -o '"trusted":[a-z]*' "$SVC_INPUT_FILE")"
        """
      And I submit the script "plain.sh" as "plain":
        """
        svc wait-event build.done
        """
      And the run waits for "event" "build.done"
      And I submit the script "asks.sh" as "asks":
        """
        svc wait-event build.done --untrusted > {folder}/taken
        """
      And the run waits for "event" "build.done"
      And I submit a script for "" that "build.done" cancels as "held"
      And the run waits for "signal" "never"
      When a fork runs "emits.sh" as "outside":
        """
        svc emit build.done --payload '{"ok":true}'
        """
      Then the run succeeds
      And "trusted" of the run is "false"
      When I look at the run "asks"
      Then the run succeeds
      When the last event of type "build.done" is looked at
      Then the file "taken" holds the envelope of "{event}"
      And what came of "{event}" is soon:
        | reaction | run     | state     |
        | handler  | listens | delivered |
        | wait     | asks    | delivered |
        | wait     | plain   | declined  |
        | cancel   | held    | declined  |
      And the handler "listens" succeeds
      And "trusted" of the run is "false"
      And "output.trusted" of the run is '"trusted":false'
      When I call "svc events show {event}"
      Then standard output matches "wait +run_[0-9A-Z]+ +declined +untrusted"
      And standard output matches "cancel +run_[0-9A-Z]+ +declined +untrusted"
      When I look at the run "plain"
      Then the run waits for "event" "build.done"
      When I call "svc explain {run}"
      Then standard output has "It declined the event {event}"
      And standard output has "an untrusted run emitted it, and the wait does not accept events from untrusted runs"
      When I emit "build.done"
      Then the run succeeds
      When I look at the run "held"
      Then the run is "cancelled"
      And the project comes to rest

    @needs-cc
    Scenario: untrusted runs receive untrusted events and can be cancelled by them
      When a fork runs "waits.sh" as "waits":
        """
        svc wait-event build.done
        """
      Then the run waits for "event" "build.done"
      When a fork runs "emits.sh" as "outside":
        """
        svc emit build.done
        """
      And I look at the run "waits"
      Then the run succeeds
      And the project comes to rest

    @needs-cc
    Scenario: a timeout lists untrusted events that did not end the wait
      When I submit the script "timed.sh" as "timed":
        """
        svc wait-event build.done --timeout 12s
        """
      Then the run waits for "event" "build.done"
      When a fork runs "emits.sh" as "outside":
        """
        svc emit build.done
        """
      And I look at the run "timed"
      Then the run fails with code "script_failed"
      And the log has "an untrusted run emitted it, and the wait does not accept events from untrusted runs"

    @needs-cc
    Scenario: a pipeline job accepts untrusted events only if it sets `untrusted`
      When I submit the pipeline:
        """
        outputs: { all: "${{ [jobs.open.outputs.trusted, jobs.shut.outputs.trusted] }}" }
        jobs:
          open: { wait_for_event: asked, when: "!event.trusted", untrusted: true }
          shut: { wait_for_event: asked }
        """
      And the run is called "waiter"
      Then the run waits for "event" "asked"
      When a fork runs "emits.sh" as "outside":
        """
        svc emit asked --payload 1
        """
      And the last event of type "asked" is looked at
      Then what came of "{event}" is soon:
        | reaction | run    | state     |
        | wait     | waiter | delivered |
        | wait     | waiter | declined  |
      When I look at the run "waiter"
      And I emit "asked"
      Then the run succeeds
      And "output.all" of the run is "[false,true]"
      And the project comes to rest

    @needs-cc
    Scenario: a graph's event node accepts untrusted events only if it sets `untrusted`
      When I run the graph:
        """
        {"nodes": [{"id": "open", "type": "event", "config": {"event": "asked", "when": "!event.trusted", "untrusted": true}},
                   {"id": "shut", "type": "event", "config": {"event": "asked"}}],
         "output": {"$expr": "[nodes.open.output.trusted, nodes.shut.output.trusted]"}}
        """
      And the run is called "waiter"
      Then the run waits for "event" "asked"
      When a fork runs "emits.sh" as "outside":
        """
        svc emit asked --payload 1
        """
      And the last event of type "asked" is looked at
      Then what came of "{event}" is soon:
        | reaction | run    | state     |
        | wait     | waiter | delivered |
        | wait     | waiter | declined  |
      When I look at the run "waiter"
      And I emit "asked"
      Then the run succeeds
      And "output" of the run is "[false,true]"
      And the project comes to rest

    Scenario: `untrusted` is rejected in a job where it has no effect
      When I check the pipeline:
        """
        jobs: { one: { steps: [{ run: echo one }], untrusted: true } }
        """
      Then "ok" of the answer is "false"
      And the answer has "`untrusted` does nothing in a job with `steps`"

    @needs-cc
    Scenario Outline: an SDK script accepts untrusted events if it requests them: <program>
      When I submit the SDK program "<program>"
      Then the run waits for "event" "asked"
      And the run is called "waiter"
      When a fork runs "emits.sh" as "outside":
        """
        svc emit asked --payload 7
        """
      And I look at the run "waiter"
      Then the run succeeds
      And "output" of the run is '{"trusted":false,"payload":7}'
      And the project comes to rest

      Examples:
        | program      |
        | untrusted.ts |

      @needs-python3
      Examples:
        | program      |
        | untrusted.py |

  Rule: Forge deliveries end waits and cancel runs regardless of who caused them

    @needs-cc
    Scenario: a fork's pull request ends a wait and cancels a run
      When I submit the script "waits.sh" as "waits":
        """
        svc wait-event forge.pull_request | grep -o '"trusted":[a-z]*'
        """
      Then the run waits for "event" "forge.pull_request"
      When I submit a script for "acme/site" that "forge.pull_request" cancels as "held"
      Then the run waits for "signal" "never"
      When a fork runs "any.sh" as "outside":
        """
        true
        """
      And I look at the run "waits"
      Then the run succeeds
      And the log has '"trusted":false'
      When I look at the run "held"
      Then the run is "cancelled"
      And the project comes to rest

  Rule: Predicates can test whether an event is trusted

    @needs-cc
    Scenario: a handler's predicate tests whether an event is trusted
      Given a file "picky.json":
        """
        {"on": ["forge.pull_request"], "when": "event.trusted", "source": "true"}
        """
      When I call "svc check picky.json"
      Then standard output has "picky.json: ok"
      Given the handler "picky" with '{"on": ["forge.pull_request"], "when": "event.trusted"}' runs "picky.sh":
        """
        true
        """
      When a fork runs "any.sh" as "outside":
        """
        true
        """
      Then the run succeeds
      And it was delivered so:
        | name   | state     | reason                 |
        | forked | delivered |                        |
        | picky  | declined  | the predicate is false |
