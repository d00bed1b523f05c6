Feature: Attempts of a request

  Rule: A failed request is retried according to its node's retry policy

    @far-end @CONN-083
    Scenario: a request is retried with one key until it succeeds
      Given a far end that answers:
        | path | status | body |
        | /x   | 503    |      |
        | /x   | gone   |      |
        | /x   | 200    | done |
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "http", "retry": {"attempts": 3, "backoff": "1s"},
          "config": {"url": "{far}/x", "method": "POST", "body": {"n": 1}, "retry_on": [503]}}]}
        """
      Then the run succeeds
      And "output.body" of the run is "done"
      And the far end got:
        | method | path | body    | content-type     |
        | POST   | /x   | {"n":1} | application/json |
        | POST   | /x   | {"n":1} | application/json |
        | POST   | /x   | {"n":1} | application/json |
      And all requests have the same "Idempotency-Key"
      And request 2 came at least 1000 ms after the one before it
      And request 3 came at least 1000 ms after the one before it
      # @contract
      And the log has "{far}/x answered 503"
      # @contract
      And the log has "the connection broke"

    @far-end @CONN-083
    Scenario: `attempts` includes the first attempt
      Given a far end that answers:
        | path | status |
        | /x   | 500    |
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "http", "retry": {"attempts": 2, "backoff": "1ms"},
          "config": {"url": "{far}/x", "fail_on_error_status": true}}]}
        """
      Then the run fails with code "request_failed"
      And the far end got 2 requests

    @far-end @contract
    Scenario: a retry waits for the time in the server's Retry-After
      Given a far end that answers:
        | path | status | headers             |
        | /x   | 429    | {"Retry-After":"1"} |
        | /x   | 200    |                     |
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "http", "retry": {"attempts": 2, "backoff": "1ms"},
          "config": {"url": "{far}/x", "retry_on": [429]}}]}
        """
      Then the run waits for "sleep" for at least 900 ms
      And the run succeeds
      And the far end got 2 requests

    @far-end @GRAPH-036
    Scenario: continue_on_error applies after the last attempt
      Given a far end that answers:
        | path  | status | body  |
        | /down | 500    | alas  |
        | /next | 200    | there |
      When I run the graph:
        """
        {"nodes": [
          {"id": "down", "type": "http", "continue_on_error": true, "retry": {"attempts": 2, "backoff": "1ms"},
           "config": {"url": "{far}/down", "fail_on_error_status": true}},
          {"id": "next", "type": "http",
           "config": {"url": "{far}/next", "query": {"why": {"$expr": "nodes.down.error.code"}}}}],
         "edges": [{"from": "down", "to": "next"}]}
        """
      Then the run succeeds
      And the far end got:
        | path                     |
        | /down                    |
        | /down                    |
        | /next?why=request_failed |

  @contract
  Rule: An attempt fails without a usable response

    @far-end
    Scenario: an attempt fails if the server is too slow
      Given a far end that answers nothing
      When I run the node "http" with:
        """
        {"url": "{far}/x", "timeout": "200ms"}
        """
      Then the run fails with code "egress_failed"
      And "error.message" of the run matches "{far}/x: no response within 200 ms"

    @far-end
    Scenario: an attempt fails if no server responds
      When I run the node "http" with:
        """
        {"url": "http://{here}:1/x"}
        """
      Then the run fails with code "egress_failed"
      And "error.message" of the run matches "http://{here}:1/x: the connection was refused"
