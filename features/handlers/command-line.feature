Feature: Handlers on the command line

  Rule: A handler is set, listed, shown and removed

    @HAND-002 @CLI-025 @CLI-026 @HAND-007 @CLI-030 @HAND-008 @CLI-031 @HAND-009 @CLI-033 @CLI-034 @CLI-035
    Scenario: a script handler accepts every option
      Given a file "note.sh":
        """
        echo "note from $OWN"
        """
      When I call "svc handler set note note.sh --on 'a.*' --when 'event.payload.n > 1' --tag team:core --tag x --requires bash --env OWN=mine --cancel-on stop"
      # @contract
      Then standard error has "Created handler note for a.*"
      When I call "svc handler ls"
      Then standard output has "note"
      # @contract
      And standard output matches "^note +a\.\* +event.payload.n > 1 +note.sh$"
      When I call "svc handler show note"
      Then standard output has "event.payload.n > 1"
      # @contract
      And standard output matches "^when +event.payload.n > 1$"
      # @contract
      And standard output matches "^tags +team:core, x$"
      # @contract
      And standard output matches "^requires +bash$"
      # @contract
      And standard output matches "^cancel on +stop$"
      When I call "svc handler show note --source"
      # @contract
      Then standard output is 'echo "note from $OWN"'
      When somebody emits "a.b" with '{"payload": {"n": 2}}'
      Then the handler "note" succeeds
      And the log is:
        """
        note from mine
        """
      And "tags" of the run is '["team:core","x"]'
      When I call "svc handler rm note"
      # @contract
      Then standard error has "Removed handler note"
      When I call "svc handler ls"
      Then standard output is ""
      When I call "svc handler rm note"
      Then it exits with 1
      # @contract
      And standard error has "not_found"

    @CLI-025
    Scenario: several patterns are separated by commas
      Given a file "note.sh":
        """
        true
        """
      When I call "svc handler set note note.sh --on 'a.*, b'"
      And I call "svc handler ls"
      # @contract
      Then standard output matches "^note +a\.\*,b "
      When somebody emits "b" with "{}"
      Then the handler "note" succeeds
      When somebody emits "a.c" with "{}"
      Then the handler "note" succeeds

    @CLI-032 @HAND-010
    Scenario: a handler can declare a credential
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-1-ab"}'
      And a file "note.sh":
        """
        test "$GH_TOKEN" = tok-1-ab
        """
      When I call "svc handler set note note.sh --on t --credential GH_TOKEN=bot"
      And I call "svc handler show note"
      # @contract
      Then standard output matches "^credentials +GH_TOKEN=bot$"
      When somebody emits "t" with "{}"
      Then the handler "note" succeeds

    @contract
    Scenario: a handler can set an input and a subject
      Given a file "note.sh":
        """
        grep -q '"from":"here"' "$SVC_INPUT_FILE" && svc step checked -- true
        """
      When I call "svc handler set note note.sh --on t --input '{\"from\":\"here\"}' --subject notes"
      And somebody emits "t" with '{"key": "other", "payload": 1}'
      Then the handler "note" succeeds
      And 1 step is recorded
      And "subject" of the run is "notes"
      When I send "PUT" to "{scoped}/handlers/note" with:
        """
        {"on": ["t"], "source": "grep -q '\"input\":\\[7\\]' $SVC_INPUT_FILE", "input": [7]}
        """
      Then the answer is 200
      When somebody emits "t" with '{"key": "other"}'
      Then the handler "note" succeeds
      And "subject" of the run is "other"

    @contract
    Scenario Outline: missing or conflicting arguments are rejected: <arguments>
      Given a file "note.sh":
        """
        true
        """
      When I call "svc handler set note <arguments>"
      Then it exits with 2
      And standard error has "<says>"

      Examples:
        | arguments                    | says                          |
        | note.sh                      | --on is missing               |
        | --on t                       | the workflow is missing        |
        | note.sh --on t --graph g     | cannot be combined            |
        | note.sh --on t --config {}   | --config needs --node  |
        | note.sh --on t --as spell    | --as                          |

    @HAND-010 @HAND-045
    Scenario: only script handlers can declare credentials
      When I call "svc handler set note --on t --graph release --credential TOKEN=bot"
      Then it exits with 2
      # @contract
      And standard error has "--credential needs a script"
      When I send "PUT" to "{scoped}/handlers/note" with:
        """
        {"on": ["t"], "node": "http", "config": {}, "credentials": {"TOKEN": "bot"}}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "/credentials"

    @contract
    Scenario: a rejection by the server shows the position of the problem
      When I call "svc handler set note - --on 'a b' --when 'x ==' " with standard input:
        """
        true
        """
      Then it exits with 1
      And standard error has "/on/0"

  @contract
  Rule: A recorded event can be tested against a handler without starting a run

    Scenario: the test shows whether the pattern and the predicate match, and why
      Given the handler "paid" with '{"on": ["order.*"], "when": "event.payload.total > 10"}' runs "note.sh":
        """
        true
        """
      When somebody emits "order.asked" with '{"payload": {"total": 5}}'
      And I call "svc handler test paid --event {event}"
      Then standard output matches "^pattern +order\.\*$"
      And standard output matches "^when +event.payload.total > 10 → false$"
      And standard output matches "^outcome +declined$"
      When somebody emits "order.asked" with '{"payload": {}}'
      And I call "svc handler test paid --event {event}"
      Then standard output has "event.payload.total: no such field"
      When somebody emits "other" with '{"payload": {"total": 50}}'
      And I call "svc handler test paid --event {event}"
      Then standard output matches "^outcome +not_matched$"
      And the handler "paid" ran 0 times
      When I call "svc handler test paid --event evt_none"
      Then it exits with 1
      And standard error has "not_found"
      When I call "svc handler test paid"
      Then it exits with 2

  Rule: Starter scripts run unchanged

    @CLI-036
    Scenario Outline: the starter script in <language> runs
      When the starter in "<language>" is written to "<file>"
      And I call "svc handler set on-event <file> --on build.done"
      And somebody emits "build.done" with '{"payload": {"workflow": "build.sh", "status": "succeeded"}}'
      Then the handler "on-event" succeeds
      And "output.type" of the run is "build.done"
      And "output.event" of the run is "{event}"
      # @contract
      And the log has "handling build.done ({event})"
      And 1 step is recorded
      When I call "svc handler init <language>"
      # @contract
      Then standard output has "svc handler set on-event on-event."
      When I call "svc handler init <language> <file>"
      Then it exits with 2
      # @contract
      And standard error has "it already exists"

      Examples:
        | language   | file        |
        | bash       | on-event.sh |
        | typescript | on-event.ts |

      @needs-python3
      Examples:
        | language   | file        |
        | python     | on-event.py |

    @contract
    Scenario: a language without a starter script is rejected
      When I call "svc handler init cobol"
      Then it exits with 2
      And standard error has "bash, python, typescript"

  Rule: A sample event shows what a handler would do

    @contract
    Scenario: the test shows the pattern, the predicate and the input, and starts nothing
      Given the handler "receipt" with '{"on": ["order.*"], "when": "event.payload.total > 0"}' runs "receipt.sh":
        """
        true
        """
      When I call "svc handler test receipt --payload - --type order.paid --key shop --untrusted" with standard input:
        """
        {"total": 12.50}
        """
      Then standard output matches "^event +sample \(order.paid, untrusted\)$"
      And standard output matches "^pattern +order\.\*$"
      And standard output matches "^when +event.payload.total > 0 → true$"
      And standard output matches "^outcome +start$"
      And standard output has '"payload":{"total":12.50}'
      When I call "svc handler test receipt --payload '{}' --type order.paid"
      Then standard output matches "^outcome +declined$"
      When I call "svc handler test receipt --payload '{}'"
      Then it exits with 1
      And standard error has "type is required"
      When I call "svc handler test receipt --payload '{}' --event evt_1"
      Then it exits with 2
      And there are 0 events "order.paid"
      When I call "svc handler ls"
      Then standard output matches "receipt.sh$"

  Rule: The list of handlers shows their recent results

    @contract
    Scenario: the list counts started runs, failed runs and predicates that could not be evaluated
      Given the handler "strict" with '{"on": ["order.*"], "when": "event.payload.total > 0"}' runs "strict.sh":
        """
        test "$CI_TRIGGER_EVENT" = order.paid
        """
      When somebody emits "order.paid" with '{"payload": {"total": 1}}'
      And somebody emits "order.open" with '{"payload": {"total": 1}}'
      And somebody emits "order.odd" with '{"payload": {}}'
      And the project comes to rest
      And I call "svc handler ls"
      Then standard output matches "^strict .* 2 started, 1 failed, 1 predicate error$"
      When I call "svc handler ls --json"
      Then standard output is JSON whose "handlers.0.lately.queued" is "0"


  Rule: A handler for an unknown type is created, with a warning if a similar type exists

    @contract
    Scenario: a misspelt event type gets a warning
      Given a file "note.sh":
        """
        echo note
        """
      When I emit "order.paid"
      And I call "svc handler set note note.sh --on order.piad --on order.shipped --on 'order.pai*'"
      Then it exits with 0
      And standard error has "Created handler note"
      And standard error has "warning: this project has no order.piad event yet; did you mean `order.paid`?"
      And standard error lacks "order.shipped yet"
      When I call "svc handler set note note.sh --on order.paid"
      Then standard error lacks "warning"
