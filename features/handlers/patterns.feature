Feature: Event types that start handlers

  Rule: A handler selects event types exactly, by prefix, or all of them

    @HAND-006 @HAND-011 @HAND-012 @HAND-013 @DLV-006 @DLV-011 @OVW-023
    Scenario: every matching handler starts a separate run
      Given the handler "exact" on "deploy.done" runs "note.sh":
        """
        svc output set by=exact
        """
      And the handler "prefix" on "deploy.*" runs "note.sh":
        """
        svc output set by=prefix
        """
      And the handler "other" on "deploy,deploy.done.twice,build.*" runs "note.sh":
        """
        svc output set by=other
        """
      When somebody emits "deploy.done" with "{}"
      Then it was delivered so:
        | name   | state     | reason |
        | exact  | delivered |        |
        | prefix | delivered |        |
      And the handler "exact" succeeds
      And "output.by" of the run is "exact"
      And the handler "prefix" succeeds
      And "output.by" of the run is "prefix"

    @HAND-014
    Scenario: a single star matches every type
      Given the handler "all" on "*" runs "note.sh":
        """
        true
        """
      When somebody emits "whatever.it-is_1" with "{}"
      Then the handler "all" succeeds

    @EVT-072
    Scenario: a type that was never emitted is accepted
      Given the handler "early" on "never.seen" runs "note.sh":
        """
        true
        """
      When somebody emits "something.else" with "{}"
      Then it was delivered to no handler
      When somebody emits "never.seen" with "{}"
      Then the handler "early" succeeds

    @HAND-015
    Scenario: the command line accepts several comma-separated types
      Given a file "note.sh":
        """
        true
        """
      When I call "svc handler set both note.sh --on a.one,b.*"
      # @contract
      Then standard error has "for a.one, b.*"
      When somebody emits "a.one" with "{}"
      Then the handler "both" succeeds
      When somebody emits "b.two" with "{}"
      Then the handler "both" succeeds
      When somebody emits "a.two" with "{}"
      Then it was delivered to no handler

  Rule: A handler run's ID derives from the event and the handler

    @DLV-012 @DLV-013
    Scenario: two emits with one idempotency key start one run
      Given the handler "one" on "deploy.done" runs "note.sh":
        """
        true
        """
      When I call "svc emit deploy.done --idempotency-key monday"
      And I call "svc emit deploy.done --idempotency-key monday"
      And the last event of type "deploy.done" is looked at
      Then the handler "one" succeeds
      And the project has 1 event of type "deploy.done"
      And the handler "one" ran 1 time
      When I call "svc handler test one --event {event} --json"
      Then standard output is JSON whose "run_id" is "{run}"

    @DLV-018 @needs-python3
    Scenario: Handler runs continue in parallel and end in any order
      Given a gate "first"
      And a gate "second"
      And the handler "slow" on "job" runs "slow.sh":
        """
        key=$(python3 -c "import json, os; print(json.load(open(os.environ['SVC_INPUT_FILE']))['key'])")
        read -r < "{folder}/$key"
        echo "$key" >> {folder}/order
        """
      When somebody emits "job" with '{"key": "first"}'
      And somebody emits "job" with '{"key": "second"}'
      And I open the gate "second"
      Then the handler "slow" succeeds
      When I open the gate "first"
      Then the project comes to rest
      And the file "order" is:
        """
        second
        first
        """

  Rule: A handler run inherits the event's subject

    @SUBJ-005
    Scenario: the event's key becomes the run's subject
      Given the handler "one" on "deploy.done" runs "note.sh":
        """
        true
        """
      When somebody emits "deploy.done" with '{"key": "acme/shop"}'
      Then the handler "one" succeeds
      And "subject" of the run is "acme/shop"
