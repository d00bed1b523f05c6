Feature: From delivery to event

  Background:
    Given the event hook "in" with '{"event_type": "in.came"}'

  Rule: The payload contains the body and the query

    @HTTP-003 @HTTP-004 @HTTP-006 @HTTP-007 @HOOK-009 @HOOK-011 @AUTH-029
    Scenario: JSON keeps its types
      Given a delivery of '{"n":1,"f":1.5,"yes":true,"none":null,"list":[1,"1"]}' as "application/json; charset=utf-8"
      When it is delivered to "{ingest}" with the headers:
        | X-Svc-Hook-Secret | {secret} |
      Then the answer is 202
      And "event_id" of the answer matches "^evt_"
      And "event_type" of the answer is "in.came"
      And it became an event "in.came" with '{"body":{"n":1,"f":1.5,"yes":true,"none":null,"list":[1,"1"]},"query":{}}'

    @HOOK-010
    Scenario: query values are always strings
      When it is delivered to "{ingest}?n=1&yes=true&empty=&name=%C3%BC+x&n=2" with the headers:
        | X-Svc-Hook-Secret | {secret} |
      Then it became an event "in.came" with '{"body":{},"query":{"n":"2","yes":"true","empty":"","name":"ü x"}}'

    @HOOK-012
    Scenario: a missing body becomes an empty object
      When it is delivered with the secret
      Then it became an event "in.came" with '{"body":{},"query":{}}'

    @HTTP-005 @AUTH-030
    Scenario: a secret in the query is not part of the event
      When it is delivered to "{ingest}?a=1&secret={secret}"
      Then it became an event "in.came" with '{"body":{},"query":{"a":"1"}}'
      When it is delivered to "{ingest}?secret=another-secret" with the headers:
        | X-Svc-Hook-Secret | {secret} |
      Then it became an event "in.came" with '{"body":{},"query":{}}'

  Rule: A body that is not JSON arrives unchanged as text

    @HTTP-003 @HOOK-013 @HOOK-014 @ERR-048
    Scenario Outline: a body arrives as text: <what>
      Given a delivery of '<text>' as "<type>"
      When it is delivered with the secret
      Then it became an event "in.came" with '{"body":"<becomes>","query":{}}'

      Examples:
        | what                          | text          | type                              | becomes           |
        | a form                        | a=1&b=%20&a=2 | application/x-www-form-urlencoded | a=1&b=%20&a=2     |
        | plain text                    | two words     | text/plain                        | two words         |
        | plain text that looks like it | {"a":1}       | text/plain                        | {\\\\"a\\\\":1}       |
        | what only calls itself JSON   | {"a":         | application/json                  | {\\\\"a\\\\":         |
        | markup                        | <a/>          | application/xml                   | <a/>              |

    @contract
    Scenario: a body with bytes that are not valid text is encoded
      Given a delivery of the bytes "ff0001" as "application/octet-stream"
      When it is delivered with the secret
      Then it became an event "in.came" with '{"body":{"base64":"/wAB"},"query":{}}'

  @contract
  Rule: A body of 2 MiB is accepted, and one byte more is rejected

    Scenario: a body at the limit is accepted
      Given a delivery of 2097152 bytes
      When it is delivered with the secret
      Then the answer is 202
      And its payload has a text of 2097152 characters
      Given a delivery of 2097153 bytes
      When it is delivered with the secret
      Then the answer is 413 with code "payload_too_large"

    Scenario: JSON that the database cannot store is rejected
      Given a delivery of '{"half": "\ud800"}' as "application/json"
      When it is delivered with the secret
      Then the answer is 400 with code "invalid_request"
