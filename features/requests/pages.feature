@far-end
Feature: Which responses are failures and which are pages

  Rule: A response with a success status can be a failure

    @contract
    Scenario Outline: a system that responds with 200 and an error: <what>
      Given a far end that answers:
        | path | status | type             | body                           |
        | /x   | 200    | application/json | {"ok": false, "error": "busy"} |
        | /x   | 200    | application/json | <second>                       |
      When I run the graph:
        """
        {"nodes": [{"id": "n", "type": "http", "retry": {"attempts": 3, "backoff": "1ms"}, "config": {"url": "{far}/x",
          "failed_when": {"when": "body.ok == false", "message": "body.error", "retry_when": "body.error == 'busy'"}}}]}
        """
      Then the run is "<status>"
      And "<path>" of the run matches "<is>"
      And the far end got 2 requests

      Examples:
        | what                        | second                         | status    | path          | is                                       |
        | another attempt succeeds    | {"ok": true}                   | succeeded | output.status | ^200$                                    |
        | another failure is final    | {"ok": false, "error": "gone"} | failed    | error.message | answered 200, a failure by failed_when: gone$ |

  Rule: One node reads all pages of a list

    @contract
    Scenario: a node reads all pages, and reports the page that fails
      Given a far end that answers:
        | path    | status | type             | body                          |
        | /orders | 200    | application/json | {"orders": [1, 2], "next": "c2"} |
        | /orders | 200    | application/json | {"orders": [3], "next": null} |
        | /orders | 200    | application/json | {"orders": [1, 2], "next": "c2"} |
        | /orders | 503    | text/plain       | down                          |
      When I run the node "http" with:
        """
        {"url": "{far}/orders?size=2",
         "paginate": {"kind": "cursor", "items": "body.orders", "next": "body.next", "query": "after"}}
        """
      Then the run succeeds
      And "output.body" of the run is "[1,2,3]"
      And "output.pages" of the run is "2"
      And "output.complete" of the run is "true"
      And the far end got:
        | method | path                     |
        | GET    | /orders?size=2           |
        | GET    | /orders?size=2&after=c2  |
      When I run the node "http" with:
        """
        {"url": "{far}/orders?size=2",
         "paginate": {"kind": "cursor", "items": "body.orders", "next": "body.next", "query": "after"}}
        """
      Then the run fails with code "request_failed"
      And "error.message" of the run matches "page 2: .* answered 503: down$"

    @contract
    Scenario: invalid rules are rejected when the graph is saved
      When I save the graph "g":
        """
        {"nodes": [{"id": "n", "type": "http", "config": {"url": "https://api.example.org/",
          "failed_when": {"when": "body.ok =="}, "paginate": {"kind": "page", "items": "body"}}}]}
        """
      Then the answer is 422 with code "workflow_invalid"
      And "errors.0.pointer" of the answer is "/nodes/0/config/failed_when/when"
      And "errors.1.pointer" of the answer is "/nodes/0/config/paginate"
