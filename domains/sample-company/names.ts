/**
 * Generates names of employees. It leaves out names of people in examples (Eve, Marcus, …) and names that contain one of these ("Evelyn").
 * A part of a name then finds the intended person.
 */
import { at } from './random.ts';

interface Family {
  readonly first: readonly string[];
  readonly last: readonly string[];
}
const family = (first: string, last: string): Family => ({
  first: first.split(' '),
  last: last.split(' ').map((name) => name.replaceAll('_', ' ')),
});

const families: readonly Family[] = [
  family(
    'Abigail Adrian Aaron Amber Andrew Audrey Benjamin Bethany Brandon Brooke Caleb Cameron Chloe Claire Connor Derek Dylan Edward ' +
      'Elliot Emily Erin Ethan Felicity Fiona Gavin George Hannah Harriet Heather Henry Hugh Imogen Isaac Jack Jasmine Joel Joshua ' +
      'Julian Kate Kyle Laura Leah Lewis Lucy Lydia Martin Megan Molly Naomi Nathan Oliver Owen Peter Philippa Rachel Rebecca Rhys ' +
      'Rowan Samuel Shannon Simon Sophie Theodore Trevor Victoria Wesley Zachary Zoe',
    'Abbott Ainsworth Aldridge Ashby Atkins Barlow Barrett Baxter Bentley Blackwood Bolton Bradshaw Brandt Brewer Burgess Caldwell ' +
      'Carver Chapman Coleman Crawford Dalton Drayton Eastwick Ellery Fairbanks Farrow Fenwick Fletcher Forsyth Gardner Garrison ' +
      'Goodwin Halloway Hargreaves Hartley Hayward Holbrook Ingram Jarvis Kendrick Langley Lockwood Marlow Mercer Merrick Norwood ' +
      'Oakley Osborne Parrish Pemberton Penrose Prescott Quigley Radcliffe Redfern Rowley Sinclair Stanton Sutherland Thornbury ' +
      'Townsend Underhill Wakefield Walcott Whitaker Whitmore Winslow Yardley',
  ),
  family(
    'Adriana Alejandro Beatriz Camila Carmen Diego Elena Emilio Esteban Fernanda Gabriela Gonzalo Ignacio Inés Javier Joaquín ' +
      'Lucía Luis Manuel Marisol Mateo Natalia Pablo Pilar Rafael Ramón Raquel Rocío Santiago Sofía Teresa Valentina Ximena Yolanda',
    'Aguilar Alvarado Arroyo Benítez Cabrera Calderón Cárdenas Castillo Cordero Delgado Domínguez Escobar Espinosa Fuentes ' +
      'Guerrero Herrera Ibarra Jiménez Maldonado Medina Miranda Montoya Navarro Ochoa Ortega Palacios Quintero Rivas Salazar ' +
      'Serrano Valdés Vargas Villanueva Zamora',
  ),
  family(
    'Aditi Aditya Amit Ananya Anil Anjali Arjun Deepa Devika Gaurav Geeta Harish Ishaan Jaya Kavita Kiran Lakshmi Manish Meera ' +
      'Mohan Neha Nikhil Pooja Rahul Rajesh Ravi Rohan Sandeep Sanjay Shreya Sunita Tanvi Vijay Vikram',
    'Acharya Agarwal Banerjee Bhatt Chatterjee Chaudhary Das Desai Deshmukh Ghosh Gupta Iyer Joshi Kapoor Kulkarni Kumar Mehta ' +
      'Menon Mishra Mukherjee Naidu Pandey Pillai Prasad Rao Reddy Saxena Sethi Shah Singh Sinha Srinivasan Trivedi Verma',
  ),
  family(
    'Bo Chao Fang Guang Hao Hong Hui Jian Jing Jun Lan Lei Lin Ling Mei Min Ning Ping Qiang Qing Rui Shan Tao Wei Wen Xiang Xin ' +
      'Yan Yi Ying Yong Yu Zhen Zhi',
    'Bai Cai Cao Cui Deng Ding Dong Fan Feng Gao Guo Han He Huang Jia Jiang Liang Liao Lin Liu Luo Ma Meng Pan Qian Qin Ren Shao ' +
      'Shen Song Sun Tang Tian Wang Xiao Xie Xu Yang Yao Zeng Zhang Zhao Zheng Zhou Zhu',
  ),
  family(
    'Akira Asuka Ayumi Chiyo Daichi Emiko Haruka Haruto Hiroshi Isamu Kaori Kazuo Keiko Kenji Kota Makoto Mariko Megumi Midori ' +
      'Naoki Noboru Reiko Ren Ryota Sakura Satoshi Shinji Takumi Tetsuya Yoko Yuki Yuto',
    'Abe Aoki Endo Fujimoto Fujita Goto Hara Hasegawa Hayashi Igarashi Inoue Ishikawa Ito Kato Kondo Kobayashi Maeda Matsuda ' +
      'Matsui Mori Murata Nakajima Nakamura Nishimura Ogawa Okada Ono Saito Sakamoto Sasaki Shimizu Takahashi Tanaka Ueda ' +
      'Wada Yamada Yamamoto Yoshida',
  ),
  family(
    'Bora Dahye Doyun Eunji Gaeun Haeun Hana Hyejin Hyunwoo Jihoon Jimin Jinwoo Jisoo Jiyoung Junho Kyungmin Minjun Minseo Nayeon ' +
      'Seojun Seoyeon Soojin Sungho Taeyang Woojin Yejun Yerin Yuna',
    'Ahn Bae Baek Cha Choi Chung Hong Hwang Im Jang Jeon Jung Kang Ko Kwon Lim Min Moon Nam Noh Oh Ryu Seo Shin Son Yoo Yoon Yun',
  ),
  family(
    'Anja Annika Bastian Birgit Christoph Dirk Dorothea Elke Felix Florian Friederike Georg Gudrun Hannes Heike Ingrid Jens Jonas ' +
      'Jürgen Karsten Katja Klaus Lena Lukas Maren Matthias Moritz Nadine Rainer Sabine Sebastian Silke Stefan ' +
      'Svenja Tobias Ulrike Uwe Wiebke',
    'Albrecht Arnold Baumann Bergmann Böhm Brandauer Dietrich Ebert Engel Fischer Friedrich Gerlach Graf Hahn Hartmann Heinrich ' +
      'Herrmann Hoffmann Huber Jäger Kaiser Keller Köhler Krause Krüger Lehmann Lorenz Ludwig Möller Neumann Pfeiffer Richter Roth ' +
      'Sauer Schäfer Schreiber Schröder Schulze Seidel Stein Vogel Voigt Weber Weiß Winkler Ziegler',
  ),
  family(
    'Adaeze Adebayo Amara Ayodele Babajide Chiamaka Chidi Chinedu Chioma Damilola Ebele Emeka Femi Folake Ifeoma Ikenna Kelechi ' +
      'Kemi Kwame Ngozi Nkechi Obinna Olumide Sade Simisola Temitope Tobenna Uche Yetunde Zainab',
    'Abara Abiola Achebe Adebanjo Adeleke Adeyemi Afolabi Agbaje Akande Akinola Asante Ayinde Balogun Chukwu Eze Ezekwesili Ibekwe ' +
      'Idowu Igwe Mensah Nwachukwu Nwosu Obi Ogunleye Ojo Okeke Okonkwo Oladipo Olawale Onyeka Osei Owusu Uzoma',
  ),
  family(
    'Ahmed Ali Amina Aisha Bilal Dalia Farah Faris Fatima Hassan Hussein Ibrahim Jamal Karim Khalid Laila Layla Leila Mahmoud ' +
      'Mariam Mustafa Nadia Noor Rania Rashid Reem Salma Samir Sami Tariq Yasmin Youssef Zahra Ziad',
    'Abboud Abdallah Al-Amin Al-Masri Ansari Assaf Aziz Bakri Barakat Darwish Farouk Ghanem Habib Hamadi Hariri Hijazi Ibrahimi ' +
      'Jabbour Kanaan Karimi Khalil Khoury Malouf Mansour Mourad Najjar Nasser Qureshi Rahman Saab Sabbagh Saleh Shaheen Tahan',
  ),
  family(
    'Adèle Amélie Antoine Arnaud Aurélie Bastien Benoît Bérénice Camille Cécile Céline Clément Corentin Élodie Étienne Fabien ' +
      'Florence Gaëlle Guillaume Hélène Hugo Jérôme Juliette Léa Loïc Luc Lucas Manon Margaux Maxime Noémie Olivier Pascal ' +
      'Quentin Rémi Solène Thierry Yves',
    'Aubert Barbier Beaumont Bertrand Blanchard Boucher Bourgeois Carpentier Chevalier Colin Delacroix Deschamps Dubois Dufour ' +
      'Dumont Dupuis Fabre Faure Fontaine Fournier Gauthier Giraud Lambert Laurent Lefort Lemaire Leroux Marchand Mercier Moreau ' +
      'Morel Perrin Renard Rousseau Roussel Vasseur Vidal',
  ),
  family(
    'Agnieszka Aleksander Andrzej Anton Boris Bożena Dariusz Dmitri Ewa Halina Ilya Irena Ivana Jakub Jarek Kasia Katarzyna Kirill ' +
      'Krzysztof Lenka Ludmila Łukasz Magda Małgorzata Marek Milena Mirek Oksana Olga Pavel Piotr Radek Svetlana ' +
      'Tatiana Vera Wojciech Yuri Zuzana',
    'Adamczyk Baran Bielski Borkowski Černý Dąbrowski Dvořák Fiala Fedorov Gajewski Horák Ivanenko Jankowski Kaczmarek Kolář ' +
      'Kovalenko Kowalczyk Kozlov Kravets Lisowski Malinowski Morozov Nowicki Novák Orlov Petrenko Pokorný Procházka Sikora ' +
      'Sokolov Svoboda Szymański Volkov Wójcik Zając Zieliński',
  ),
  family(
    'Anders Astrid Bjørn Ebba Eirik Elin Erik Freja Gunnar Gustav Hedda Henrik Håkon Ida Ingvild Johan Kari Karin Kirsten Lars ' +
      'Linnea Magnus Maja Malin Mikkel Nils Oskar Ragnhild Rasmus Signe Sigrid Solveig Stig Sven Torsten Tove Ylva',
    'Ahlberg Andersen Berglund Bergström Christensen Dahl Eklund Eriksen Falk Forsberg Hagen Halvorsen Hansen Haugen Hedlund Holm ' +
      'Isaksson Jakobsen Kjeldsen Knudsen Lindberg Lindholm Lund Lundgren Madsen Mortensen Nyström Olsen Rasmussen Sandberg ' +
      'Sjöberg Solberg Strand Sundström Vik Wallin Westergaard Åkesson',
  ),
  family(
    'Alessandro Alessia Andrea Bianca Carlo Chiara Claudia Davide Elisa Emanuele Federica Fabio Gianluca Giorgia Giulia Ilaria ' +
      'Lorenzo Luca Ludovica Martina Matteo Michela Paolo Pietro Riccardo Roberta Serena Silvia Simone Stefano Umberto Viola Vittoria',
    'Amato Barbieri Basile Bellini Benedetti Bianchi Bruno Caruso Cattaneo Colombo Conti Costa De_Luca De_Santis Fabbri Ferrara ' +
      'Ferri Fontana Galli Gatti Greco Grassi Leone Lombardi Longo Mancini Marchetti Mariani Marino Martini Monti Moretti Orlando ' +
      'Parisi Pellegrini Rinaldi Rizzo Romano Rossetti Santoro Sartori Serra Testa Valentini Vitale',
  ),
  family(
    'An Anh Bao Bich Chi Cuong Dung Duc Giang Ha Hai Hieu Hoa Huong Khanh Khoa Lien Linh Long Mai Minh Nam Nga Ngoc Phong Phuong ' +
      'Quan Quynh Son Thanh Thao Thu Trang Trung Tuan Uyen Vinh Xuan',
    'Bui Chau Cung Dam Dao Dinh Do Doan Duong Hoang Ho Huynh Lam Luong Luu Ly Mac Ngo Nguyen Pham Phan Phung Quach Ta Thai To Ton ' +
      'Tran Trinh Truong Vo Vu Vuong',
  ),
];

/** First and last names of one region are combined first. A very large company uses all combinations. */
const starts: number[] = [];
let within = 0;
for (const { first, last } of families) {
  starts.push(within);
  within += first.length * last.length;
}
const allFirst = [...new Set(families.flatMap(({ first }) => first))];
const allLast = [...new Set(families.flatMap(({ last }) => last))];
const mixed = allFirst.length * allLast.length;

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
/** A step size that visits all `size` indexes before it repeats. */
function strideFor(size: number): number {
  let stride = Math.floor(size * 0.618_033_988_7);
  while (gcd(stride, size) !== 1) stride++;
  return stride;
}
const withinStride = strideFor(within);
const mixedStride = strideFor(mixed);

const spelled = new Map<string, string>();
/** Reduces a name to the letters a to z for an email address: "Weiß" becomes weiss. */
export function asciiName(name: string): string {
  const known = spelled.get(name);
  if (known !== undefined) return known;
  const letters = name
    .normalize('NFD')
    .replace(/ß/g, 'ss')
    .replace(/[øØ]/g, 'o')
    .replace(/[łŁ]/g, 'l')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  spelled.set(name, letters);
  return letters;
}

export interface SampleName {
  readonly first: string;
  readonly last: string;
  /** The local part of the email address, unique per number. */
  readonly mailbox: string;
}

/** The nth name. About the first ten thousand are unique, with both parts from one region. */
export function nameOf(n: number): SampleName {
  if (n < within) {
    const place = ((n + 1) * withinStride) % within;
    let which = starts.length - 1;
    while (at(starts, which) > place) which--;
    const { first, last } = at(families, which);
    const rest = place - at(starts, which);
    // The shift by the row makes consecutive names differ in both parts.
    const row = Math.floor(rest / first.length);
    return named(at(first, (rest + row * 7) % first.length), at(last, row), '');
  }
  const m = n - within;
  const place = (m * mixedStride) % mixed;
  return named(at(allFirst, place % allFirst.length), at(allLast, Math.floor(place / allFirst.length)), String(Math.floor(m / mixed) + 2));
}

const named = (first: string, last: string, suffix: string): SampleName => ({
  first,
  last,
  mailbox: `${asciiName(first)}.${asciiName(last)}${suffix}`,
});
