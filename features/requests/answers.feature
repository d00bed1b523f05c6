@far-end
Feature: Which responses are data and which fail the request

  Rule: A response whose status is not listed is data

    @ERR-033 @ERR-034 @CONN-077 @CONN-078 @CONN-084
    Scenario Outline: a response with status <status> is data
      Given a far end that answers:
        | path | status   | type             | body             |
        | /x   | <status> | application/json | {"why": ["so"]}  |
      When I run the node "http" with:
        """
        {"url": "{far}/x", "retry_on": [429]}
        """
      Then the run succeeds
      And "output.status" of the run is "<status>"
      And "output.body" of the run is '{"why":["so"]}'
      And the far end got 1 request

      Examples:
        | status |
        | 200    |
        | 302    |
        | 404    |
        | 500    |

    @contract
    Scenario: a body that is not JSON becomes text, and header names are in lower case
      Given a far end that answers:
        | path | status | type             | body    | headers       |
        | /t   | 200    | text/plain       | hello   | {"X-Own":"1"} |
        | /j   | 200    | application/json | {broken |               |
      When I run the graph:
        """
        {"nodes": [{"id": "t", "type": "http", "config": {"url": "{far}/t"}},
                   {"id": "j", "type": "http", "config": {"url": "{far}/j"}}]}
        """
      Then the run succeeds
      And "output.t.body" of the run is "hello"
      And "output.t.headers.x-own" of the run is "1"
      And "output.j.body" of the run is "{broken"

  Rule: Listed statuses fail the request

    @GRAPH-012 @ERR-028 @ERR-030 @ERR-031 @ERR-032 @LIM-008 @CONN-079
    Scenario: a status in retry_on fails with the URL, the status and 200 characters of the body
      Given a far end that answers:
        | path | status | body                                                                                                                                                                                                                                   |
        | /x   | 503    | 0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901é3456789 |
      When I run the node "http" with:
        """
        {"url": "{far}/x?q=1", "retry_on": [429, 503]}
        """
      Then the run fails with code "request_failed"
      And "error.message" of the run matches "{far}/x\?q=1.*503.*(0123456789){20}(?!0)"
      # @contract
      And "error.message" of the run matches "{far}/x\?q=1 answered 503: (0123456789){20}$"

    @contract
    Scenario: the limit of 200 counts characters, not bytes
      Given a far end that answers:
        | path | status | type                      | body                                                                                                                                                                                                                      |
        | /x   | 500    | text/plain; charset=utf-8 | ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé🎈é |
      When I run the node "http" with:
        """
        {"url": "{far}/x", "fail_on_error_status": true}
        """
      Then the run fails with code "request_failed"
      And "error.message" of the run matches "500: é{199}🎈$"

    @GRAPH-013 @ERR-029
    Scenario Outline: fail_on_error_status fails the node on every error status: <status>
      Given a far end that answers:
        | path | status   | body |
        | /x   | <status> | no   |
      When I run the node "http" with:
        """
        {"url": "{far}/x", "fail_on_error_status": true}
        """
      Then the run fails with code "request_failed"
      And "error.message" of the run matches "{far}/x.*<status>.*no"
      # @contract
      And "error.message" of the run matches "{far}/x answered <status>: no$"

      @CONN-080
      Examples:
        | status |
        | 400    |
        | 404    |
        | 499    |

      @CONN-081
      Examples:
        | status |
        | 500    |
        | 503    |
        | 599    |

    @CONN-082
    Scenario Outline: retry_on and fail_on_error_status apply together: <status>
      Given a far end that answers:
        | path | status   |
        | /x   | <status> |
      When I run the node "http" with:
        """
        {"url": "{far}/x", "fail_on_error_status": true, "retry_on": [202]}
        """
      Then the run is "<end>"

      Examples:
        | status | end       |
        | 202    | failed    |
        | 409    | failed    |
        | 201    | succeeded |
        | 304    | succeeded |
