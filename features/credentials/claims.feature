Feature: Credentials are resolved when a job is claimed

  @CRED-005 @AUTH-016 @store
  Scenario: a job gets the credential's value at the time of its claim
    Given the credential "bot" is '{"kind": "bearer", "token": "value-before"}'
    When I submit the script "wait.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
      """
      svc step first -- sh -c 'test "$TOKEN" = value-before'
      svc wait-signal go
      test "$TOKEN" = value-after
      """
    Then the run waits for "signal" "go"
    Given the credential "bot" is '{"kind": "basic", "username": "value", "password": "after"}'
    And the credential "bot" is '{"kind": "bearer", "token": "value-after"}'
    When I send the signal "go" with "null"
    Then the run succeeds

  @CRED-005
  Scenario: a run fails if its credential was removed after the submission
    Given the credential "bot" is '{"kind": "bearer", "token": "tok-1-ab"}'
    When I submit the script "wait.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
      """
      svc wait-signal go
      echo "goes on without it"
      """
    Then the run waits for "signal" "go"
    # @contract
    When I call "svc credential uses bot"
    # @contract
    Then standard output matches "^run +{run} +wait\.sh: TOKEN"
    When I call "svc credential rm bot"
    And I send the signal "go" with "null"
    Then the run fails with code "credential_missing"
    And the log lacks "goes on"

  @contract
  Scenario: a missing credential is rejected at submit
    When I send "POST" to "{scoped}/runs" with:
      """
      {"source": "true", "credentials": {"TOKEN": "nobody"}}
      """
    Then the answer is 422 with code "credential_missing"
    And the answer names the faults "/credentials/TOKEN"
    And the answer has "nobody"

  @contract
  Scenario Outline: invalid credential mappings are rejected: <credentials>
    When I send "POST" to "{scoped}/runs" with:
      """
      {"source": "true", "credentials": <credentials>}
      """
    Then the answer is 400 with code "invalid_request"

    Examples:
      | credentials             |
      | {"SVC_TOKEN": "bot"}    |
      | {"PATH": "bot"}         |
      | {"TOKEN": "${{ x }}"}   |
      | {"TOKEN": ""}           |
      | ["bot"]                 |
