@contract
Feature: Objects that the files no longer describe

  @store
  Scenario: prune removes applied objects, and keeps objects that people created by hand
    Given a file "p/handlers/build.yaml":
      """
      on: [push]
      source: echo built
      filename: build.sh
      """
    And a file "p/event-hooks/builds.yaml":
      """
      event_type: build.done
      """
    And a file "p/members/ben.yaml":
      """
      role: viewer
      """
    And a file "empty/README.md":
      """
      Nothing is left.
      """
    And a file "ci.sh":
      """
      echo by hand
      """
    When I call "svc handler set mine {folder}/ci.sh --on mine"
    And I call "svc apply -f {folder}/p"
    Then it exits with 0
    And standard error has "created by hand, without a file: handlers/mine"
    When I call "svc diff -f {folder}/empty"
    Then it exits with 1
    And standard output is:
      """
      - members/ben
      - event-hooks/builds
      - handlers/build
      """
    When I call "svc apply -f {folder}/empty"
    Then it exits with 0
    And standard error has "without a file, removed with --prune: members/ben, event-hooks/builds, handlers/build"
    When I call "svc apply -f {folder}/empty --prune"
    Then it exits with 2
    And standard error has "describes no object, so --prune would remove members/ben, event-hooks/builds, handlers/build"
    And standard error has "--allow-empty"
    When I call "svc apply -f {folder}/empty --prune --dry-run"
    Then standard error has "dry run: 0 created, 0 updated, 0 unchanged, 3 removed, 0 failed"
    When I call "svc handler ls"
    Then standard output has "build"
    When I call "svc apply -f {folder}/empty --prune --allow-empty"
    Then it exits with 0
    And standard output is:
      """
      removed members/ben
      removed event-hooks/builds
      removed handlers/build
      """
    When I call "svc handler ls"
    Then standard output has "mine"
    And standard output lacks "build"
    When I call "svc diff -f {folder}/empty"
    Then it exits with 0
    When I call "svc diff -f {folder}/empty --all"
    Then it exits with 1
    When I call "svc apply -f {folder}/empty --prune --all --allow-empty"
    Then it exits with 0
    And standard output is "removed handlers/mine"

  Scenario: an object that was created by hand after the applied one was removed is kept
    Given a file "p/handlers/build.yaml":
      """
      on: [push]
      source: echo built
      filename: build.sh
      """
    And a file "empty/README.md":
      """
      Nothing is left.
      """
    And a file "ci.sh":
      """
      echo by hand
      """
    When I call "svc apply -f {folder}/p"
    And I call "svc handler rm build"
    And I call "svc handler set build {folder}/ci.sh --on push"
    And I call "svc apply -f {folder}/empty --prune --allow-empty"
    Then it exits with 0
    And standard error has "created by hand, without a file: handlers/build"

  Scenario: a manually created object that a file describes is removed with its file
    Given a file "ci.sh":
      """
      echo by hand
      """
    And a file "empty/README.md":
      """
      Nothing is left.
      """
    When I call "svc handler set mine {folder}/ci.sh --on mine"
    And I call "svc export -o {folder}/p"
    And I call "svc apply -f {folder}/p"
    And I call "svc apply -f {folder}/empty --prune --allow-empty"
    Then standard output is "removed handlers/mine"

  Scenario: the user who applies and the last admin keep their roles
    Given a member "ada" with the role "admin" and a token noted as "ada"
    And a file "p/members/ada.yaml":
      """
      role: viewer
      """
    And a file "empty/README.md":
      """
      Nothing is left.
      """
    When I call "svc apply -f {folder}/p" with "SVC_TOKEN" set to "{ada}"
    Then it exits with 1
    And standard error has "failed members/ada: ada is the user who applies, and keeps the role"
    When I call "svc apply -f {folder}/empty --prune --all --allow-empty"
    Then it exits with 1
    And standard error has "members/ada"
    When I call "svc member ls --project {project}"
    Then standard output matches "ada +admin"

  Scenario: a token applies what its role allows, and the rest is reported
    Given a member "max" with the role "member" and a token noted as "max"
    And a file "p/handlers/build.yaml":
      """
      on: [push]
      source: echo built
      filename: build.sh
      """
    And a file "p/event-hooks/builds.yaml":
      """
      event_type: build.done
      """
    When I call "svc apply -f {folder}/p" with "SVC_TOKEN" set to "{max}"
    Then it exits with 1
    And standard output is "created handlers/build"
    And standard error has "failed event-hooks/builds:"
    And standard error has "1 created, 0 updated, 0 unchanged, 0 removed, 1 failed"
    When I send "POST" to "{scoped}/applied/event-hooks" with the token "{max}" and:
      """
      {"add": ["builds"]}
      """
    Then the answer is 403 with code "forbidden"
    When I call "svc apply -f {folder}/p"
    Then it exits with 0
    And standard error has "1 created, 0 updated, 1 unchanged, 0 removed, 0 failed"

  Scenario: an apply by a member who cannot manage roles and variables does not change them
    Given a member "mia" with the role "member" and a token noted as "mia"
    And a file "p/members/mia.yaml":
      """
      role: admin
      """
    And a file "p/vars/REGION.yaml":
      """
      value: eu
      """
    When I call "svc apply -f {folder}/p" with "SVC_TOKEN" set to "{mia}"
    Then it exits with 1
    And standard output is ""
    And standard error has "failed members/mia:"
    And standard error has "failed vars/REGION:"
    And standard error has "0 created, 0 updated, 0 unchanged, 0 removed, 2 failed"
    When I call "svc apply -f {folder}/p --prune --all" with "SVC_TOKEN" set to "{mia}"
    Then it exits with 1
    When I call "svc member ls --project {project}"
    Then standard output matches "mia +member"
    When I call "svc var ls"
    Then standard output lacks "REGION"
