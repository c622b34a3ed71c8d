#!/usr/bin/env python3
"""The checker against histories made by hand: for each promise some that keep it, and some that do not
and that it must find."""
import unittest

import checker
import report

VALUE, OTHER = "d1", "d2"
ITEM, ADDRESS, VERSION = "a/b/c@1.0.0", "a/b/c", "1.0.0"
RELEASE = {"sums": "s1", "zip/linux_amd64": "z1", "zip/darwin_arm64": "z2"}


class Story:
    """A history, told in the order of its operations' begins."""

    def __init__(self):
        self.events, self.number, self.fault_number = [], 0, 0

    def op(self, op, begin, end, what="ok", status=200, result=None, **arguments):
        self.number += 1
        self.events.append({"t": begin, "what": "invoke", "id": self.number, "op": op, **arguments})
        if end is not None:
            self.events.append({"t": end, "what": what, "id": self.number, "status": status,
                                **(result or {})})
        return self

    def publish(self, begin, end, what="ok", status=201, value=VALUE, by="r1", parts=None, item=ITEM):
        return self.op("publish", begin, end, what, status, {"by": by}, item=item, value=value,
                       parts=parts or {"archive": value})

    def read(self, begin, end, digest=VALUE, status=200, by="r1", part="archive", item=ITEM, **more):
        final = more.pop("final", False)
        return self.op("read", begin, end, more.pop("what", "ok" if status == 200 else "fail"),
                       status, {"by": by, "digest": digest if status == 200 else None, **more},
                       item=item, part=part, final=final)

    def list(self, begin, end, versions=(VERSION,), by="r1", status=200, **more):
        return self.op("list", begin, end, "ok" if status == 200 else "fail", status,
                       {"by": by, "versions": list(versions), **more}, address=ADDRESS, items=[ITEM])

    def withdraw(self, begin, end, what="ok", status=204):
        return self.op("withdraw", begin, end, what, status, item=ITEM)

    def token(self, op, begin, end, what="ok", status=200, by="r1"):
        return self.op("token_" + op, begin, end, what, status, {"by": by}, name="t1")

    def pull(self, begin, end, digest="p1", status=200, what="ok"):
        return self.op("pull", begin, end, what, status, {"digest": digest, "by": "r1"},
                       path="/p", expected="p1")

    def fault(self, begin, end, kind="kill", concerns=("r1",)):
        self.fault_number += 1
        for phase, t in (("begin", begin), ("end", end)):
            self.events.append({"t": t, "what": "fault", "number": self.fault_number, "kind": kind,
                                "phase": phase, "concerns": list(concerns)})
        return self

    def finish(self, **state):
        self.events.append({"t": 1000, "what": "end", **state})
        return self

    def promises(self):
        return {each.promise for each in checker.check(self.events)}


class CheckerTestCase(unittest.TestCase):
    def kept(self, story):
        self.assertEqual([str(each) for each in checker.check(story.events)], [])

    def broken(self, story, *promises):
        self.assertEqual(story.promises(), set(promises))


class Durable(CheckerTestCase):
    def test_what_was_acknowledged_is_read(self):
        self.broken(Story().publish(0, 1).read(1.1, 1.2).finish(), "durable")  # nobody looked
        self.kept(Story().publish(0, 1).read(10, 11, final=True).finish())

    def test_it_is_gone_at_the_end(self):
        self.broken(Story().publish(0, 1).read(10, 11, status=404, final=True).finish(),
                    "durable", "linear")

    def test_it_is_damaged_at_the_end(self):
        self.broken(Story().publish(0, 1).fault(2, 3).read(10, 11, status=503, final=True).finish(),
                    "durable")

    def test_other_bytes_after_the_acknowledgement(self):
        story = Story().publish(0, 1, what="info", status=0, value=OTHER).fault(0, 1)
        self.broken(story.publish(1, 2).read(3, 4, digest=OTHER), "durable", "once")

    def test_a_withdrawal_takes_it_back(self):
        self.kept(Story().publish(0, 1).withdraw(2, 3).read(5, 6, status=404, final=True).finish())

    def test_410_comes_after_a_withdrawal_and_only_then(self):
        self.kept(Story().publish(0, 1).withdraw(2, 3).read(2.5, 5, status=410).read(5, 6, status=410, final=True)
                  .finish())
        self.broken(Story().publish(0, 1).read(2, 3, status=410).withdraw(4, 5).finish(), "linear", "honest")
        self.broken(Story().publish(0, 1).withdraw(2, 3, what="fail", status=503).fault(1, 4)
                    .read(10, 11, status=410, final=True).finish(), "durable", "linear", "honest")
        self.broken(Story().list(1, 2, status=410, versions=()), "honest")

    def test_a_withdrawal_that_failed_does_not(self):
        self.broken(Story().publish(0, 1).withdraw(2, 3, what="fail", status=404)
                    .read(5, 6, status=404, final=True).finish(), "durable", "linear")


class Once(CheckerTestCase):
    def test_the_same_bytes_again(self):
        self.kept(Story().publish(0, 1).publish(2, 3, status=200))

    def test_other_bytes_are_refused(self):
        self.kept(Story().publish(0, 1).publish(2, 3, "fail", 409, value=OTHER).read(4, 5))

    def test_two_contents_acknowledged(self):
        self.broken(Story().publish(0, 1).publish(0.5, 1.5, value=OTHER), "once")

    def test_two_contents_seen_of_two_in_doubt(self):
        story = Story().fault(0, 9)
        for value in (VALUE, OTHER):
            story.publish(0, 1, what="info", status=0, value=value)
        self.broken(story.read(2, 3).read(4, 5, digest=OTHER), "once")

    def test_one_of_two_in_doubt(self):
        story = Story().fault(0, 9)
        for value in (VALUE, OTHER):
            story.publish(0, 1, what="info", status=0, value=value)
        self.kept(story.read(2, 3, digest=OTHER).read(4, 5, digest=OTHER))

    def test_what_was_refused_is_seen(self):
        story = Story().fault(0, 9).publish(0, 1, what="info", status=0)
        self.broken(story.publish(0, 1, "fail", 409, value=OTHER).read(4, 5, digest=OTHER), "once")

    def test_published_after_it_was_withdrawn(self):
        self.broken(Story().publish(0, 1).withdraw(2, 3).publish(4, 5), "once")


class Linear(CheckerTestCase):
    def test_it_is_found_at_once_there_and_after_a_second_elsewhere(self):
        self.kept(Story().publish(0, 1).list(1.01, 1.1).list(1.5, 1.6, versions=(), by="r2")
                  .list(2.1, 2.2, by="r2"))

    def test_it_is_missed_at_once_there(self):
        self.broken(Story().publish(0, 1).list(1.01, 1.1, versions=()), "linear")

    def test_it_is_missed_elsewhere_after_a_second(self):
        self.broken(Story().publish(0, 1).list(2.1, 2.2, versions=(), by="r2"), "linear")
        self.broken(Story().publish(0, 1).read(2.1, 2.2, status=404, by="r2"), "linear")

    def test_while_the_database_is_out_of_reach_it_may_be_late(self):
        story = Story().publish(0, 1).fault(0.5, 3, concerns=("database",))
        self.kept(story.list(2.1, 2.2, versions=(), by="r2"))

    def test_but_not_for_ever(self):
        story = Story().publish(0, 1).fault(0.5, 60, concerns=("r2",))
        self.broken(story.list(20, 21, versions=(), by="r2"), "linear")

    def test_unless_it_says_so(self):
        story = Story().publish(0, 1).fault(0.5, 60, concerns=("r2",))
        self.kept(story.list(20, 21, versions=(), by="r2", stale=True))

    def test_a_fault_elsewhere_is_no_excuse(self):
        story = Story().publish(0, 1).fault(0.5, 60, concerns=("r3",))
        self.broken(story.list(20, 21, versions=(), by="r2"), "linear")

    def test_in_doubt_it_may_come_late_or_never(self):
        story = Story().fault(0, 1).publish(0, 1, what="info", status=503)
        self.kept(story.list(3, 4, versions=()).list(5, 6).list(7.1, 8, by="r2"))
        self.kept(Story().fault(0, 1).publish(0, None).list(3, 4, versions=()))

    def test_but_it_does_not_flicker(self):
        story = Story().fault(0, 1).publish(0, 1, what="info", status=503)
        self.broken(story.list(30, 31).list(40, 41, versions=()), "linear")

    def test_what_was_withdrawn_is_gone(self):
        self.kept(Story().publish(0, 1).withdraw(2, 3).read(3.5, 3.6, by="r2"))
        self.broken(Story().publish(0, 1).withdraw(2, 3).read(4.5, 4.6, by="r2"), "linear")


class Whole(CheckerTestCase):
    def release(self):
        return Story().publish(0, 1, value="s1", parts=RELEASE)

    def test_who_lists_it_gets_it(self):
        self.kept(self.release().list(2, 3, platforms={VERSION: ["linux_amd64", "darwin_arm64"]})
                  .read(4, 5, "z1", part="zip/linux_amd64"))

    def test_a_platform_is_missing(self):
        self.broken(self.release().list(2, 3, platforms={VERSION: ["linux_amd64"]}), "whole")

    def test_a_file_is_missing(self):
        self.broken(self.release().list(2, 3).read(4, 5, status=404, part="sums"), "whole")


class Honest(CheckerTestCase):
    def test_unavailable_under_a_fault(self):
        for status in (502, 503, 504, 0):
            self.kept(Story().fault(0, 3).read(1, 2, status=status))
            self.kept(Story().fault(0, 3).publish(1, 2, "info", status))

    def test_unavailable_without_one(self):
        for status in (502, 503, 504, 0):
            self.broken(Story().fault(0, 3).read(100, 101, status=status), "honest")
            self.broken(Story().publish(1, 2, "info", status), "honest")

    def test_a_body_that_was_cut(self):
        self.kept(Story().fault(0, 3).read(1, 2, digest=None, what="info"))
        self.broken(Story().read(1, 2, digest=None, what="info"), "honest")

    def test_internal_errors_never(self):
        self.broken(Story().fault(0, 3).read(1, 2, status=500), "honest")
        self.broken(Story().fault(0, 3).publish(1, 2, "info", 500), "honest")

    def test_no_room_while_the_disk_is_full(self):
        self.kept(Story().fault(0, 3, "disk-full").publish(1, 2, "info", 507))
        self.broken(Story().fault(0, 3).publish(1, 2, "info", 507), "honest")

    def test_what_never_was_is_absent(self):
        self.kept(Story().read(1, 2, status=404).list(2, 3, status=404, versions=()))

    def test_a_conflict_without_a_rival(self):
        self.broken(Story().publish(0, 1, "fail", 409), "honest")
        self.kept(Story().withdraw(0, None).fault(0, 1).publish(0, 1, "fail", 409))

    def test_good_archives_are_not_refused(self):
        self.broken(Story().publish(0, 1, "fail", 422), "honest")

    def test_what_is_upstream_is_not_absent(self):
        self.kept(Story().pull(0, 1).fault(0, 1).pull(0, 1, None, 502, "fail"))
        self.broken(Story().fault(0, 1).pull(0, 1, None, 404, "fail"), "honest")

    def test_a_good_token_counts(self):
        self.kept(Story().token("create", 0, 1, status=201).token("use", 3, 4))
        self.broken(Story().token("create", 0, 1, status=201).token("use", 3, 4, "fail", 401),
                    "honest")


class Revoked(CheckerTestCase):
    def story(self):
        return Story().token("create", 0, 1, status=201).token("revoke", 2, 3, status=204)

    def test_it_is_refused_after_a_second(self):
        self.kept(self.story().token("use", 3.5, 3.6, by="r2").token("use", 4.1, 4.2, "fail", 401))

    def test_it_is_accepted_later(self):
        self.broken(self.story().token("use", 4.1, 4.2, by="r2"), "revoked")

    def test_no_fault_excuses_it(self):
        self.broken(self.story().fault(0, 9, concerns=("database", "r2"))
                    .token("use", 4.1, 4.2, by="r2"), "revoked")

    def test_in_doubt_it_may_count(self):
        self.kept(Story().fault(0, 9).token("create", 0, 1, status=201)
                  .token("revoke", 2, 3, "info", 503).token("use", 8, 9))


class Verified(CheckerTestCase):
    def test_right_bytes(self):
        self.kept(Story().publish(0, 1).read(2, 3).pull(0, 1))

    def test_wrong_bytes(self):
        self.broken(Story().fault(0, 9).publish(0, 1, "info", 0).read(2, 3, digest="x"), "verified")
        self.broken(Story().pull(0, 1, digest="x"), "verified")


class Economical(CheckerTestCase):
    def test_once(self):
        self.kept(Story().pull(0, 1).pull(0, 1).finish(upstream={"/p": 1}, holders=1))

    def test_once_more_for_a_holder_that_was_lost(self):
        self.kept(Story().fault(0, 1).pull(0, 2).finish(upstream={"/p": 2}, holders=1))

    def test_too_often(self):
        self.broken(Story().pull(0, 1).finish(upstream={"/p": 2}, holders=1), "economical")
        self.broken(Story().fault(9, 10).pull(0, 1).finish(upstream={"/p": 2}, holders=1),
                    "economical")
        self.broken(Story().fault(0, 1, "store-error").pull(0, 1).finish(upstream={"/p": 2}, holders=1),
                    "economical")


class Clean(CheckerTestCase):
    def test_nothing_is_left(self):
        self.kept(Story().finish(clean={"staged files": [], "blobs that are missing": []}, verify=0))

    def test_something_is_left(self):
        self.broken(Story().finish(clean={"staged files": ["tmp/a"]}), "clean")


class Proved(CheckerTestCase):
    def test_verify_is_green(self):
        self.kept(Story().finish(verify=0))

    def test_verify_found_something(self):
        self.broken(Story().finish(verify=1, verify_says="one is damaged"), "proved")


class Figures(unittest.TestCase):
    def figures(self, story):
        return report.figures(story.events, [])

    def test_a_download_is_taken_over_from_who_was_lost_meanwhile(self):
        story = Story().read(9.0, 9.1).fault(10.0, 14.0).fault(30.0, 31.0, kind="freeze").finish(
            upstream_at={"/p": [9.5, 10.75], "/q": [12.0], "/r": [20.0, 21.0]})
        kinds, _ = self.figures(story)
        self.assertEqual(kinds["kill"]["take_over"], [0.75])
        self.assertEqual(kinds["freeze"]["take_over"], [])

    def test_a_token_is_refused_so_long_after_its_revocation(self):
        story = Story().token("revoke", 1.0, 2.0).token("use", 2.5, 2.6).token(
            "use", 3.2, 3.3, what="fail", status=401)
        self.assertEqual(self.figures(story)[1], 0.5)

    def test_what_is_missed_is_measured_by_the_next_success(self):
        story = Story().fault(10.0, 12.0)
        story.list(10.5, 10.6, status=503, probe="cached").list(11.0, 13.0, probe="cached")
        kinds, _ = self.figures(story)
        row = kinds["kill"]
        self.assertEqual(row["failed"], {"503": 1})
        self.assertEqual(row["first_success"]["cached"], [3.0])
        self.assertEqual(row["longest_failure"]["cached"], 2.5)


class ManyOperations(CheckerTestCase):
    def test_it_is_linear(self):
        """A history as long as forty minutes are, with a fault a second, takes seconds: a checker that
        searched would not end."""
        story = Story()
        for number in range(20_000):
            item = f"a/b/c@1.{number}.0"
            story.publish(number, number + 0.1, item=item)
            for each in range(4):
                story.read(number + 0.2, number + 0.3, by=f"r{each}", item=item)
        for number in range(20_000):
            story.fault(number, number + 0.5)
        self.kept(story)


if __name__ == "__main__":
    unittest.main()
