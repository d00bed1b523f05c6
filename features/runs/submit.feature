Feature: Submitting a workflow

  Rule: A submission contains the source and returns the run's ID

    @HTTP-010 @HTTP-012
    Scenario: a submitted source runs under the returned ID
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "hello.sh", "source": "echo hello from the source\n"}
        """
      Then the answer is 201
      And "run_id" of the answer matches "^run_[0-9A-HJKMNP-TV-Z]{26}$"
      And "status" of the answer is "queued"
      When I take the run of the answer
      Then the run succeeds
      And the log is:
        """
        hello from the source
        """

    @contract
    Scenario: the details of a submission appear in its run
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "dir/job.sh", "source": "svc step s -- true\n", "subject": "order-7", "tags": ["team:core", "nightly"]}
        """
      And I take the run of the answer
      Then the run succeeds
      And "workflow" of the run is "job.sh"
      And "kind" of the run is "script"
      And "subject" of the run is "order-7"
      And "tags" of the run is '["team:core","nightly"]'
      And "generation" of the run is "0"
      And "trusted" of the run is "true"

    @RUN-013
    Scenario: a run submitted by a person has the trigger manual
      When I submit the script "job.sh":
        """
        true
        """
      Then the run succeeds
      And "trigger" of the run is '{"type":"manual"}'

  Rule: A repeat with the same idempotency key returns the first run

    @HTTP-011 @HTTP-013 @HTTP-014 @HTTP-015 @ERR-022 @ERR-023
    Scenario Outline: the key can be in the body or in the header
      When I submit over HTTP with the key "k-1" in the <first>:
        """
        echo ran >>{folder}/ran
        """
      Then the answer is 201
      When I take the run of the answer
      Then the run succeeds
      When I submit over HTTP with the key "k-1" in the <second>:
        """
        echo ran >>{folder}/ran
        """
      Then the answer is 200
      And "duplicate" of the answer is "true"
      And "run_id" of the answer is "{run}"
      When I send "GET" to "{scoped}/runs"
      Then the answer lists 1 "runs"
      And the file "ran" has 1 line

      Examples:
        | first  | second |
        | body   | body   |
        | header | header |
        | body   | header |

    @contract @store
    Scenario: different content with the same key is reported and does not run
      When I submit over HTTP with the key "k-2" in the body:
        """
        echo one >>{folder}/ran
        """
      And I take the run of the answer
      Then the run succeeds
      When I submit over HTTP with the key "k-2" in the body:
        """
        echo two >>{folder}/ran
        """
      Then the answer is 200
      And "source_differs" of the answer is "true"
      And "run_id" of the answer is "{run}"
      And the file "ran" is:
        """
        one
        """

    @contract
    Scenario Outline: a different <member> with the same key is reported too
      When I send "POST" to "{scoped}/runs" with:
        """
        {"source": "true", "idempotency_key": "k-3"}
        """
      Then the answer is 201
      And I take the run of the answer
      And the run succeeds
      When I send "POST" to "{scoped}/runs" with:
        """
        {"source": "true", "idempotency_key": "k-3"}
        """
      Then the answer is 200
      And the answer lacks "source_differs"
      When I send "POST" to "{scoped}/runs" with:
        """
        {"source": "true", "idempotency_key": "k-3", "<member>": <value>}
        """
      Then the answer is 200
      And "source_differs" of the answer is "true"

      Examples:
        | member  | value      |
        | input   | {"n": 1}   |
        | env     | {"A": "1"} |
        | tags    | ["nightly"] |
        | subject | "s-1"      |

    @contract
    Scenario: many parallel submits with one key start one run
      When I submit 12 times at once with the key "storm":
        """
        echo ran >>{folder}/ran
        """
      Then all of them answer one run, 11 as duplicates
      And the run succeeds
      And the file "ran" has 1 line

    @contract
    Scenario: a key is unique in its project
      Given another project noted as "other"
      When I submit over HTTP with the key "k-3" in the body:
        """
        true
        """
      Then the answer is 201
      When I take the run of the answer
      Then the run succeeds
      When I send "POST" to "/api/v1/orgs/{org}/projects/{other}/runs" with:
        """
        {"filename": "job.sh", "source": "true\n", "idempotency_key": "k-3"}
        """
      Then the answer is 201
