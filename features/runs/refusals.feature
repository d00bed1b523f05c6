@contract
Feature: Rejected submissions

  Rule: A rejected workflow starts no run, and the error describes the problem

    Scenario Outline: a submission is rejected: <problem>
      When I send "POST" to "{scoped}/runs" with:
        """
        <body>
        """
      Then the answer is <status> with code "<code>"
      And "errors.0.pointer" of the answer is "<pointer>"
      When I send "GET" to "{scoped}/runs"
      Then "runs" of the answer is "[]"

      Examples:
        | fault                       | body                                                                | status | code             | pointer     |
        | a script that is no bash    | {"filename":"a.sh","source":"if ["}                               | 422    | workflow_invalid | /source     |
        | no source                   | {"filename":"a.sh"}                                                 | 400    | invalid_request  | /source     |
        | a source that is no text    | {"filename":"a.sh","source":7}                                      | 400    | invalid_request  | /source     |
        | a kind that is none         | {"kind":"poem","source":"x"}                                        | 400    | workflow_kind_unknown | /kind       |
        | a pipeline without jobs     | {"filename":"ci.yml","source":"jobs: {}"}                           | 422    | workflow_invalid | /source     |
        | a graph without nodes       | {"source":"{\"version\":\"svc-graph/v1\",\"nodes\":[],\"edges\":[]}"} | 422    | workflow_invalid | /source     |
        | a member that is unknown    | {"filename":"a.sh","source":"true","sourc":1}                       | 400    | invalid_request  | /sourc      |
        | a variable that is reserved | {"filename":"a.sh","source":"true","env":{"SVC_TOKEN":"x"}}         | 400    | invalid_request  | /env/SVC_TOKEN |
        | an empty key                | {"filename":"a.sh","source":"true","idempotency_key":""}            | 400    | invalid_request  | /idempotency_key |
        | an empty tag                | {"filename":"a.sh","source":"true","tags":[""]}                     | 400    | invalid_request  | /tags/0     |

    Scenario: an interpreter that no agent has fails the run
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "job.sh", "source": "true", "interpreter": "no-such-program --fast"}
        """
      And I take the run of the answer
      Then the run fails with code "interpreter_missing"
      And "error.message" of the run matches "no-such-program"

    Scenario: a request with two different idempotency keys is rejected
      When I submit over HTTP with the key "one" in the body and "two" in the header:
        """
        true
        """
      Then the answer is 400 with code "invalid_request"

  Rule: Size limits are exact

    Scenario: a source of 1 MiB is accepted, and one byte more is rejected
      When I submit a script of 1048576 bytes over HTTP
      Then the answer is 201
      When I take the run of the answer
      Then the run succeeds
      When I submit a script of 1048577 bytes over HTTP
      Then the answer is 413 with code "payload_too_large"
