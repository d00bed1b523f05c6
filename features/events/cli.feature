Feature: Events on the command line

  Rule: svc emit prints only the event's ID

    @CLI-020 @EVT-007 @EVT-020 @CLI-021 @SUBJ-003 @CLI-022
    Scenario: an event is emitted with a subject and a payload
      When I call "svc emit deploy.done --key acme/web --payload '{\"v\":[1,2]}'"
      Then standard output matches "^evt_\w{26}\n$"
      And the last event "deploy.done" is noted as "event"
      And standard output has "{event}"
      And "key" of the event "{event}" is "acme/web"
      And "payload" of the event "{event}" is '{"v":[1,2]}'
      And "source" of the event "{event}" is "emit"

    @CLI-022
    Scenario: the payload is read from standard input or a file
      When I call "svc emit piped --payload -" with standard input:
        """
        {"from": "a pipe"}
        """
      Then "payload" of the last event "piped" is '{"from":"a pipe"}'
      Given a file "payload.json":
        """
        ["from", "a file"]
        """
      When I call "svc emit filed --payload @payload.json --json"
      Then standard output is JSON with "event"
      And "payload" of the last event "filed" is '["from","a file"]'

    @contract
    Scenario: svc emit prints the code of a rejection and what to do
      When I call "svc emit run.failed"
      Then it exits with 1
      And standard error has "event_type_reserved"
      And standard error has "Choose another type"

  Rule: svc events lists and shows recent events

    @CLI-023 @store
    Scenario: events are listed newest first, with filters
      When I emit "first" for "acme/web"
      And I emit "second" for "acme/app"
      And I call "svc events ls"
      Then standard output matches "second[\s\S]*first"
      When I call "svc events ls --type first"
      Then standard output has "acme/web"
      And standard output lacks "second"
      When I call "svc events ls --key acme/app --since 1h --source emit"
      Then standard output has "second"
      And standard output lacks "first"
      When I call "svc events ls --limit 1"
      Then standard output has "second"
      And standard output lacks "first"
      # @contract
      And standard error has "more: --cursor"

    @CLI-024
    Scenario: one event is shown with its payload and its deliveries
      When I submit the script "wait.sh":
        """
        svc wait-event release
        """
      Then the run waits for "event" "release"
      When I emit "release" for "acme/web" with '{"tag":"v1"}'
      Then the run succeeds
      And what came of "{event}" is soon:
        | reaction | run | state     |
        | wait     | it  | delivered |
      When I call "svc events show {event}"
      Then standard output has '"tag": "v1"'
      And standard output has "acme/web"
      # @contract
      And standard output matches "wait +{run} +delivered"
      When I call "svc events show {event} --json"
      Then standard output is JSON whose "payload.tag" is "v1"
      When I call "svc events show evt_00000000000000000000000000"
      Then it exits with 1
      # @contract
      And standard error has "not_found"


  Rule: svc emit suggests a similar type that has listeners

    @contract
    Scenario: a misspelt type that nothing reacts to gets a suggestion
      Given a file "paid.sh":
        """
        echo paid
        """
      When I call "svc handler set receipt paid.sh --on order.paid"
      And I call "svc emit order.piad"
      Then it exits with 0
      And standard output matches "^evt_\w{26}\n$"
      And standard error has "nothing reacted to this order.piad event; did you mean `order.paid`?"
      When I call "svc emit ORDER.Paid"
      Then standard error has "nothing reacted to this ORDER.Paid event; did you mean `order.paid`?"
      When I call "svc emit order.piad --json"
      Then standard error is ""
      When I call "svc emit order.shipped"
      Then standard error is ""
      When I call "svc emit order.paid"
      Then standard error is ""

    @contract
    Scenario: a misspelt type gets a suggestion if a run waits for the correct one
      When I submit the script "wait.sh":
        """
        svc wait-event stock.low
        """
      Then the run waits for "event" "stock.low"
      When I call "svc emit stock.lwo"
      Then standard error has "nothing reacted to this stock.lwo event; did you mean `stock.low`?"
      When I call "svc explain {run}"
      Then standard output has "No event of type stock.low has been recorded; did you mean `stock.lwo`?"
      When I call "svc emit stock.low"
      Then the run succeeds
