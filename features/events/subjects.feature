Feature: Subjects limit which runs receive an event

  Rule: An event with a subject reaches runs with that subject and runs without one

    @SUBJ-009
    Scenario: the whole subject is compared
      When I submit the script "web" for "acme/web":
        """
        svc wait-event push.done
        """
      Then the run waits for "event" "push.done"
      When I submit the script "app" for "acme/app":
        """
        svc wait-event push.done
        """
      Then the run waits for "event" "push.done"
      When I submit the script "none.sh" as "none":
        """
        svc wait-event push.done
        """
      Then the run waits for "event" "push.done"
      When I emit "push.done" for "acme/web#12"
      Then what came of "{event}" is soon:
        | reaction | run  | state     |
        | wait     | none | delivered |
      When I emit "push.done" for "acme/web"
      Then what came of "{event}" is soon:
        | reaction | run | state     |
        | wait     | web | delivered |
      When I look at the run "app"
      Then the run waits for "event" "push.done"
      When I cancel every run that has not ended

    @EVT-003 @SUBJ-008 @SUBJ-009
    Scenario: an event without a subject reaches every run
      When I submit the script "web" for "acme/web":
        """
        svc wait-event freeze
        """
      Then the run waits for "event" "freeze"
      When I submit the script "app" for "acme/app":
        """
        svc wait-event freeze
        """
      Then the run waits for "event" "freeze"
      When I emit "freeze"
      Then what came of "{event}" is soon:
        | reaction | run | state     |
        | wait     | web | delivered |
        | wait     | app | delivered |
      When I look at the run "web"
      Then the run succeeds
      When I look at the run "app"
      Then the run succeeds

  Rule: Events can cancel runs

    @SUBJ-006
    Scenario: a cancelling event reaches runs with its subject, regardless of its payload
      When I submit a script for "acme/web" that "deploy.abort" cancels as "web"
      And I submit a script for "acme/app" that "deploy.abort" cancels as "app"
      And I submit a script for "" that "deploy.abort" cancels as "none"
      And I emit "deploy.abort" for "acme/web" with '{"never":false}'
      Then what came of "{event}" is soon:
        | reaction | run  | state     |
        | cancel   | web  | delivered |
        | cancel   | none | delivered |
      When I look at the run "web"
      Then the run is "cancelled"
      And "cancelled_by" of the run is '{"event":"{event}","type":"deploy.abort"}'
      When I look at the run "app"
      Then the run waits for "signal" "never"
      When I cancel every run that has not ended

    @SUBJ-008
    Scenario: an event without a subject cancels every run that lists its type
      When I submit a script for "acme/web" that "stop.all" cancels as "web"
      And I submit a script for "acme/app" that "stop.all" cancels as "app"
      And I emit "stop.all"
      Then what came of "{event}" is soon:
        | reaction | run | state     |
        | cancel   | web | delivered |
        | cancel   | app | delivered |

    @SUBJ-011
    Scenario: cancel_on accepts only event types
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "held.sh", "source": "true", "cancel_on": [{"type": "deploy.abort", "when": "event.payload.never"}]}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "/cancel_on/0"
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "held.sh", "source": "true", "cancel_on": ["deploy.abort"], "when": "event.payload.never"}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "/when"

    @contract
    Scenario: events before the submission do not cancel the run
      When I emit "deploy.abort"
      And I submit a script for "" that "deploy.abort" cancels as "it"
      Then the run waits for "signal" "never"
      And nothing came of "{event}"
      When I cancel every run that has not ended

    @OVW-025
    Scenario: svc submit takes the event types that cancel the run
      Given a file "held.sh":
        """
        svc wait-signal never
        """
      When I submit "held.sh --cancel-on halt --cancel-on deploy.abort" with the CLI as "it"
      And I emit "halt"
      Then the run is "cancelled"
      And "cancel_on" of the run is '["halt","deploy.abort"]'
      And "cancelled_by" of the run is '{"event":"{event}","type":"halt"}'
