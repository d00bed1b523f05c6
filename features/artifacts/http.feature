@contract
Feature: Artifacts over HTTP

  Background:
    When I submit the script "build.sh":
      """
      true
      """
    Then the run succeeds

  Rule: An artifact is verified when it is stored, and can be read as a whole or in part

    Scenario: an upload with the right digest is stored, and one with a wrong digest is rejected
      Given a file "app.tar" of 100000 bytes
      When I put the file "app.tar" as the artifact "out/app.tar" over HTTP
      Then the answer is 201
      And the artifact "out/app.tar" is the file "app.tar"
      When I put "other bytes" as the artifact "wrong" with the header "repr-digest" set to "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"
      Then the answer is 422 with code "artifact_digest_mismatch"
      When I put "bytes" as the artifact "wrong" with the header "repr-digest" set to "md5=:AAAA:"
      Then the answer is 400 with code "invalid_request"
      When I send "GET" to "{scoped}/runs/{run}/artifacts/wrong"
      Then the answer is 404 with code "not_found"

    Scenario: paths that cannot name a file in a folder are rejected
      When I put "x" as the artifact "a//b" with the header "x-any" set to "y"
      Then the answer is 400 with code "invalid_request"
      When I put "x" as the artifact "..%2Fup" with the header "x-any" set to "y"
      Then the answer is 400 with code "invalid_request"
      When I put "x" as the artifact "a%5Cb" with the header "x-any" set to "y"
      Then the answer is 400 with code "invalid_request"
      When I send "GET" to "{scoped}/runs/{run}/artifacts"
      Then the answer lists 0 "artifacts"

  Rule: An interrupted upload resumes, even on another server process

    Scenario: the connection breaks, and the rest is uploaded
      Given a file "large" of 20000000 bytes
      When the upload of the file "large" as the artifact "large" breaks off after 12000000 bytes
      And I send the rest of the file "large" as the artifact "large"
      Then the answer is 201
      And the artifact "large" is the file "large"

    @own-server @configured
    Scenario: the server is killed during an upload
      Given a server and an agent of their own with:
        | SVC_ARTIFACTS | {folder}/stored |
      When I submit the script "build.sh":
        """
        true
        """
      Then the run succeeds
      Given a file "large" of 20000000 bytes
      When the upload of the file "large" as the artifact "large" breaks off after 12000000 bytes
      And the server is killed
      And the server is started again
      And I send the rest of the file "large" as the artifact "large"
      Then the answer is 201
      And the artifact "large" is the file "large"

  Rule: An artifact that is too large is rejected

    @own-server @configured
    Scenario: an artifact exceeds the server's limit
      Given a server and an agent of their own with:
        | SVC_ARTIFACTS      | {folder}/stored |
        | SVC_ARTIFACT_LIMIT | 1MiB            |
      When I submit the script "build.sh":
        """
        true
        """
      Then the run succeeds
      Given a file "large" of 1048577 bytes
      When I put the file "large" as the artifact "large" over HTTP
      Then the answer is 413 with code "payload_too_large"
      Given a file "exact" of 1048576 bytes
      When I put the file "exact" as the artifact "exact" over HTTP
      Then the answer is 201
