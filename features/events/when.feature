Feature: svc wait-event takes the event that --when accepts

  Rule: A predicate of a script reads the event, its variables and the run

    @contract
    Scenario: values are variables, not part of the expression
      When I submit the script "when.sh":
        """
        id="o'1\" || true"
        event=$(svc wait-event order.paid --when 'event.payload.id == vars.id && event.payload.n >= vars.least' --var id="$id" --var least:=2)
        svc output set event:="$event"
        """
      Then the run waits for "event" "order.paid"
      When I emit "order.paid" with '{"id": "another", "n": 5}'
      And I emit "order.paid" with '{"id": "o\u00271\u0022 || true", "n": 1}'
      Then the run waits for "event" "order.paid"
      When I emit "order.paid" with '{"id": "o\u00271\u0022 || true", "n": 2}'
      Then the run succeeds
      And "output.event.payload.n" of the run is "2"

    @contract @store
    Scenario: an event contains the ID of the run that it is intended for
      When I submit the script "approve.sh" as "one":
        """
        svc wait-event approved --when 'event.payload.run == run.id'
        """
      Then the run waits for "event" "approved"
      And "run_id" of the run is noted as "first"
      When I submit the script "approve.sh" as "two":
        """
        svc wait-event approved --when 'event.payload.run == run.id'
        """
      Then the run waits for "event" "approved"
      When I emit "approved" with '{"run": "{first}"}'
      Then what came of "{event}" is soon:
        | reaction | run | state     |
        | wait     | one | delivered |
        | wait     | two | declined  |
      When I look at the run "one"
      Then the run succeeds
      When I cancel every run that has not ended

    @contract
    Scenario Outline: the call fails: <what>
      When I submit the script "wrong.sh":
        """
        svc wait-event go <arguments>
        """
      Then the run is "failed"
      And the log has "<says>"

      Examples:
        | what                           | arguments                            | says                                                 |
        | a variable that does not exist | --when 'event.n == vars.x'           | `when` uses vars.x, which does not exist             |
        | an unknown name                | --when 'event.n == jobs.x'           | unknown name `jobs`: allowed: event, vars, run       |
        | a variable without a predicate | --var x=1                            | --var needs --when                                   |
        | a variable that is not JSON    | --when 'event.n == vars.x' --var x:= | --var x:= is not followed by JSON                    |

  Rule: The predicate of a handler reads only the event

    @contract
    Scenario Outline: a handler's predicate with <name> is rejected
      Given a file "h.sh":
        """
        true
        """
      When I call "svc handler set h h.sh --on t --when '<name>.x == 1'"
      Then it exits with 1
      And standard error has "unknown name `<name>`: allowed: event"

      Examples:
        | name  |
        | steps |
        | vars  |
        | run   |

  @contract
  Rule: A wait explains which events end it

    Scenario: svc explain shows the condition, and an event that ends the wait
      When I submit the script "paid.sh":
        """
        svc wait-event order.paid --when 'event.payload.order == vars.id && event.payload.ok' --var id=a7 > /dev/null
        """
      Then the run waits for "event" "order.paid"
      When I call "svc explain {run}"
      Then standard output has "ends it: event.payload.order == vars.id && event.payload.ok, with vars = "
      And standard output has "svc emit order.paid --payload '{\"order\":\"a7\",\"ok\":true}'"
      When I call "svc emit order.paid --payload '{\"order\":\"a7\",\"ok\":true}'"
      Then it exits with 0
      And the run succeeds

    Scenario: svc explain shows the condition of a node
      Given a file "paid.json":
        """
        {"version":"svc-graph/v1","nodes":[
          {"id":"paid","type":"event","config":{"event":"order.paid","when":"event.payload.order == input.order"}}],"edges":[]}
        """
      When I submit "paid.json --input order:=7" with the CLI as "graph"
      Then the run waits for "event" "order.paid"
      When I call "svc explain {run}"
      Then standard output has "svc emit order.paid --payload '{\"order\":7}'"
      When I call "svc emit order.paid --payload '{\"order\":7}'"
      Then the run succeeds
