/**
 * URLs that try to leave the one place a guard allows (127.0.0.1, `*.allowed.example`); PORT is that of a real listener on 127.0.0.2 and ::1.
 * Names in them are answered by `hostileNames`.
 */
export const spellingsOfAnotherHost = [
  '127.0.0.2', '127.2', '127.0.2', '0x7f.2', '0x7f.0.0.2', '0x7f.0x0.0x0.0x2', '0x7f000002', '0X7F000002', '2130706434', '017700000002', '0177.0.0.2', '0177.0.0.02', '0177.0.0.0x2', '00000177.0.0.2', '127.0.0.2.', '127.2.', '2130706434.',
  '①②⑦.⓪.⓪.②', '１２７.０.０.２', '127。0。0。2', '127．0．0．2', '127｡0｡0｡2', '𝟏𝟐𝟕.𝟎.𝟎.𝟐', '%31%32%37.0.0.2', '127%2e0%2e0%2e2', '%30x7f.2', '127.0.0.2%2e', '127.0.0.\u00ad2',
  '[::1]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0001]', '[0::1]', '[::0.0.0.1]', '[::ffff:127.0.0.2]', '[::ffff:7f00:2]', '[0:0:0:0:0:ffff:127.0.0.2]', '[::FFFF:7F00:0002]', '[::127.0.0.2]', '[::7f00:2]',
  '[::ffff:0:127.0.0.2]', '[64:ff9b::127.0.0.2]', '[64:ff9b::7f00:2]', '[64:ff9b:1::127.0.0.2]', '[64:ff9b:1:7f00:0:200::]', '[2002:7f00:2::]', '[2002:7f00:2::1]', '[2001:0:7f00:2::]', '[2001:0:0808:0808::80ff:fffd]', '[fe80::5efe:127.0.0.2]', '[2606:4700::5efe:127.0.0.2]', '[2606:4700::200:5efe:7f00:2]',
] as const;

export const placesNobodyMayReach = [
  '0', '0.0.0.0', '0x0', '00', '0.0.0.0.', '[::]', '[0::0]', '[::ffff:0.0.0.0]', '0.1.2.3', '127.255.255.254', '10.0.0.1', '0xa000001', '167772161', '012.0.0.1', '10.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.257', '3232235521',
  '169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518', '169.254.169.254.', '①⑥⑨.②⑤④.①⑥⑨.②⑤④', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[::169.254.169.254]', '[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[fd00:ec2::254]', '[fd20:ce::254]', '[fe80::a9fe:a9fe]',
  '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192', '100.64.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '4294967295', '0xffffffff', '037777777777',
  '[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd12:3456:789a::1]', '[ff02::1]', '[100::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[2001:2::1]', '[2002:c0a8:1::]', '[64:ff9b::c0a8:1]', '[::ffff:10.0.0.1]', '[64:ff9b:1::10.0.0.1]',
] as const;

/** Whole URLs whose trick lies around the host. */
export const trickyUrls = [
  'http://127.0.0.1@127.0.0.2:PORT/', 'http://user@127.0.0.1:80/', 'http://user:secret@web.allowed.example/', 'http://:secret@127.0.0.1/', 'http://127.0.0.1:80@127.0.0.2:PORT/', 'http://127.0.0.1%40127.0.0.2:PORT/', 'http://web.allowed.example%00.127.0.0.2:PORT/',
  'http://127.0.0.2:PORT#@127.0.0.1/', 'http://127.0.0.2:PORT?@127.0.0.1/', 'http://127.0.0.2:PORT\\@127.0.0.1/', 'http://127.0.0.2:PORT/@127.0.0.1', 'http:\\\\127.0.0.2:PORT\\', 'http:/127.0.0.2:PORT/', 'http:127.0.0.2:PORT/', 'http:////127.0.0.2:PORT/', 'HTTP://127.0.0.2:PORT/',
  'http://web.allowed.example\t@127.0.0.2:PORT/', 'http://127.0.0.2\n:PORT/', 'ht\ntp://127.0.0.2:PORT/', '\u0000http://127.0.0.2:PORT/', 'http://127.0.0.2:PORT/\r\nX: y', 'http://[::1%25lo]:PORT/', 'http://[::1%lo]:PORT/', 'http://[127.0.0.2]:PORT/', 'http://::1:PORT/', 'http://[::1/', 'http://127.0.0.2:99999/', 'http://', 'http:///x', '', '//127.0.0.2:PORT/', '127.0.0.2:PORT',
  'ftp://127.0.0.2:PORT/', 'file:///etc/passwd', 'file://127.0.0.2/etc/passwd', 'gopher://127.0.0.2:PORT/_GET', 'dict://127.0.0.2:PORT/', 'ldap://127.0.0.2:PORT/', 'ws://127.0.0.2:PORT/', 'wss://127.0.0.2:PORT/', 'data:text/plain,x', 'javascript:alert(1)', 'blob:http://127.0.0.2:PORT/x', 'jar:http://127.0.0.2:PORT/!/', 'unix:///run/docker.sock', 'http+unix://%2Frun%2Fdocker.sock/', 'view-source:http://127.0.0.2:PORT/',
  'http://localhost:PORT/', 'http://LOCALHOST:PORT/', 'http://localhost.:PORT/', 'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/', 'http://x.localhost:PORT/', 'http://ip6-localhost:PORT/', 'http://allowed.example:PORT/', 'http://evil-allowed.example:PORT/', 'http://evilallowed.example:PORT/', 'http://web.allowed.example.evil.test:PORT/', 'http://web.allowed.example%2eevil.test:PORT/', 'http://127.0.0.2.nip.test:PORT/', 'http://metadata.google.internal/', 'http://instance-data/latest',
  'http://to-loopback.allowed.example:PORT/', 'http://TO-LOOPBACK.Allowed.Example.:PORT/', 'http://to-six.allowed.example:PORT/', 'http://to-mapped.allowed.example:PORT/', 'http://to-metadata.allowed.example:PORT/', 'http://to-private.allowed.example:PORT/', 'http://to-nat64.allowed.example:PORT/', 'http://to-6to4.allowed.example:PORT/', 'http://to-zero.allowed.example:PORT/', 'http://to-mixed.allowed.example:PORT/', 'http://to-mixed-last.allowed.example:PORT/',
] as const;

/** What the hostile name server says. */
export const hostileNames: Readonly<Record<string, readonly string[]>> = {
  'to-loopback.allowed.example': ['127.0.0.2'],
  'to-six.allowed.example': ['::1'],
  'to-mapped.allowed.example': ['::ffff:127.0.0.2'],
  'to-metadata.allowed.example': ['169.254.169.254'],
  'to-private.allowed.example': ['10.0.0.1'],
  'to-nat64.allowed.example': ['64:ff9b::7f00:2'],
  'to-6to4.allowed.example': ['2002:7f00:2::'],
  'to-zero.allowed.example': ['0.0.0.0'],
  'to-mixed.allowed.example': ['127.0.0.2', '127.0.0.1'],
  'to-mixed-last.allowed.example': ['127.0.0.1', '127.0.0.2'],
  'web.allowed.example': ['127.0.0.1'],
};
